// Costs of calls, in the units of the reference implementation. They approximate the time of a call, so that cost
// limits bound the time of an evaluation. A price has the actual cost by the arguments. Before the evaluation it also
// gives the maximum cost and the maximum size of the result, by the possible sizes of the arguments.
import type { CelType } from "../language/types.ts";
import { countWork, sizeOf } from "../values/inspect.ts";
import { isList, isMap, type Value } from "../values/value.ts";

export const TRAVERSAL = 0.1;
export const REGEX_LENGTH = 0.25;
const COST_CEILING = 2 ** 64;
export const LIST_COST = 10;
export const MAP_COST = 30;
export const MESSAGE_COST = 40;

/** The possible size of a text, list or map. Sizes and costs saturate instead of overflowing. */
export interface Size {
  readonly min: number;
  readonly max: number;
}

export const UNKNOWN_SIZE: Size = { min: 0, max: COST_CEILING };

const cap = (value: number): number => Math.min(value, COST_CEILING);

export const fixedSize = (size: number): Size => ({ min: size, max: size });
export const addSizes = (a: Size, b: Size): Size => ({ min: cap(a.min + b.min), max: cap(a.max + b.max) });
export const multiplySizes = (a: Size, b: Size): Size => ({
  min: cap(a.min * b.min),
  max: cap(a.max * b.max),
});
export const uniteSizes = (a: Size, b: Size): Size => ({
  min: Math.min(a.min, b.min),
  max: Math.max(a.max, b.max),
});

/** The cost of one traversal of the size, at a cost per unit. */
const costBySize = ({ max }: Size, perUnit: number): number => cap(Math.ceil(max * perUnit));
export const costToTraverse = (size: Size, times = 1): number => costBySize(size, times * TRAVERSAL);
export const addCosts = (costs: readonly number[]): number => cap(costs.reduce((sum, cost) => sum + cost, 0));
export const multiplyCosts = (a: number, b: number): number => cap(a * b);

export interface Operand {
  readonly type: CelType;
  /** undefined: it is unknown. */
  readonly size: Size | undefined;
  /** For a list: the size of its items, if known. */
  readonly itemSize: Size | undefined;
  /** A constant whole number. */
  readonly constant: bigint | undefined;
}

export interface CallEstimate {
  readonly cost: number;
  readonly size?: Size;
}

/** By the arguments, the receiver first if there is one. */
export type CallCost = (args: readonly Value[]) => number;
/** For the overload with these types. */
type Estimate = (
  operands: readonly Operand[],
  overload: { readonly args: readonly CelType[]; readonly isMember: boolean },
) => CallEstimate;

export interface Price {
  /** Charged before the call runs, so that it never runs beyond the limit. */
  readonly cost: CallCost;
  /** Added for the result. */
  readonly result?: (result: Value) => number;
  /** Default: one unit. */
  readonly estimate?: Estimate;
}

export const UNIT: Price = { cost: () => 1 };

export const sizeAt = (operands: readonly Operand[], index: number): Size =>
  operands[index]?.size ?? UNKNOWN_SIZE;

export const sizeOfArg = (value: Value | undefined): number =>
  value === undefined ? 1 : (sizeOf(value) ?? 1);

export const traverse = (value: Value | undefined, times = 1): number =>
  Math.ceil(sizeOfArg(value) * times * TRAVERSAL);

export const isText = (value: Value | undefined): boolean =>
  typeof value === "string" || value instanceof Uint8Array;

/** The cost of a deep traversal of the first argument. */
export const traverseAll: CallCost = ([first]) => (first === undefined ? 0 : deepTraversal(first));

function deepTraversal(value: Value): number {
  countWork();
  if (typeof value === "string") return Math.floor(Buffer.byteLength(value) * TRAVERSAL);
  if (value instanceof Uint8Array) return Math.floor(value.length * TRAVERSAL);
  let cost = 0;
  if (isList(value)) {
    for (let index = 0; index < value.size; index++) cost += deepTraversal(value.at(index));
    return cost;
  }
  if (!isMap(value)) return 1;
  for (const key of value.keys()) cost += deepTraversal(key) + deepTraversal(value.find(key) ?? null);
  return cost;
}

/** Traverses the first argument. */
export const scan: Price = { cost: ([first]) => traverse(first) };
export const scanTwice: Price = { cost: ([first]) => traverse(first, 2) };

/** Traverses the first argument and returns a value of its size. */
export const transform: Price = {
  ...scan,
  estimate: (operands) => {
    const size = sizeAt(operands, 0);
    return { cost: costToTraverse(size), size };
  },
};

/** Traverses the first argument deeply. */
export const scanAll: Price = {
  cost: traverseAll,
  estimate: (operands) => {
    const size = sizeAt(operands, 0);
    const item = operands[0]?.type.params[0];
    if (!item) return { cost: costToTraverse(size) };
    const isOfText = item.kind === "string" || item.kind === "bytes";
    const each = 1 + (isOfText ? costToTraverse(operands[0]?.itemSize ?? UNKNOWN_SIZE) : 0);
    return { cost: multiplyCosts(size.max, each) };
  },
};

/** Cost of matching: text length times pattern length. */
export const matchCost = (text: Value | undefined, patternSize: number): number =>
  Math.ceil((1 + sizeOfArg(text)) * TRAVERSAL) * Math.ceil(patternSize * REGEX_LENGTH);

export const estimateMatch = (text: Size, pattern: Size): number =>
  multiplyCosts(costToTraverse(text), costBySize(pattern, REGEX_LENGTH));

/** Compares each item of the first list with each of the second, so many times. */
export const pairs = (times: number): Price => ({
  cost: ([a, b]) => sizeOfArg(a) * sizeOfArg(b) * times + 1,
  estimate: (operands) => {
    const count = multiplyCosts(sizeAt(operands, 0).max, sizeAt(operands, 1).max);
    return { cost: addCosts([multiplyCosts(count, times), 1]) };
  },
});
