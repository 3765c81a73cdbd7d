// What a call costs at run time, in the units of the reference implementation: about the time it takes, so that the
// limits on cost bound the time of an evaluation.
import { lookupTable } from "../../meta/json.ts";
import { FormatValue } from "../library/kubernetes/named-formats.ts";
import { CidrValue } from "../library/kubernetes/network-functions.ts";
import { numeric, sizeOf } from "../values/inspect.ts";
import { isList, isMap, isOpaque, type Value } from "../values/value.ts";
import { countWork } from "../values/work.ts";

export const TRAVERSAL = 0.1;
export const REGEX_LENGTH = 0.25;
export const LIST_COST = 10;
export const MAP_COST = 30;
export const MESSAGE_COST = 40;

type CallCost = (args: readonly Value[]) => number;

function size(value: Value | undefined): number {
  if (value === undefined) return 1;
  if (value instanceof CidrValue) return Math.ceil(value.prefix.bits / 8);
  return sizeOf(value) ?? 1;
}

const isText = (value: Value | undefined): boolean =>
  typeof value === "string" || value instanceof Uint8Array;

const traverse = (value: Value | undefined, factor = 1): number =>
  Math.ceil(size(value) * factor * TRAVERSAL);
const first: CallCost = (args) => traverse(args[0]);
const firstTwice: CallCost = (args) => traverse(args[0], 2);

/** The cost of looking at everything inside a value. */
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

const deep: CallCost = (args) => (args[0] === undefined ? 0 : deepTraversal(args[0]));

/** Matching: the text times the pattern. */
const regex: CallCost = (args) =>
  Math.ceil((1 + size(args[0])) * TRAVERSAL) * Math.ceil(size(args[1]) * REGEX_LENGTH);

const comparison: CallCost = ([a, b]) => {
  if (isOpaque(a)) return 1;
  return Math.ceil(Math.min(size(a), size(b)) * TRAVERSAL);
};
const order: CallCost = (args) => (isText(args[0]) ? comparison(args) : 1);

function containsAddress(args: readonly Value[], extra: number): number {
  const text = typeof args[1] === "string" ? traverse(args[1]) : 0;
  return traverse(args[0], 2) + extra + text;
}

const pairs =
  (factor: number): CallCost =>
  (args) =>
    size(args[0]) * size(args[1]) * factor + 1;

/** A sort compares each item about as often as the length has binary digits. */
const sorting: CallCost = (args) => deep(args) * Math.ceil(Math.log2(size(args[0]) + 2));

const COSTS: Readonly<Record<string, CallCost>> = lookupTable({
  isSorted: deep,
  sum: deep,
  max: deep,
  min: deep,
  indexOf: deep,
  lastIndexOf: deep,
  url: first,
  lowerAscii: first,
  upperAscii: first,
  substring: first,
  trim: first,
  replace: firstTwice,
  split: firstTwice,
  join: () => 0,
  format: (args) => 1 + traverse(args[0]),
  "strings.quote": first,
  find: regex,
  findAll: regex,
  matches: regex,
  cidr: first,
  isIP: first,
  isCIDR: first,
  ip: (args) => (typeof args[0] === "string" ? traverse(args[0]) : 1),
  "ip.isCanonical": firstTwice,
  containsIP: (args) => containsAddress(args, 0),
  containsCIDR: (args) => containsAddress(args, traverse(args[0]) + 1),
  quantity: first,
  isQuantity: first,
  semver: first,
  isSemver: first,
  validate: (args) => {
    const pattern = args[0] instanceof FormatValue ? args[0].patternSize : 1;
    return Math.ceil((1 + size(args[1])) * TRAVERSAL) * Math.ceil(pattern * REGEX_LENGTH);
  },
  startsWith: first,
  endsWith: first,
  bytes: first,
  string: (args) => (args[0] instanceof Uint8Array ? traverse(args[0]) : 1),
  "@in": (args) => (isList(args[1]) ? size(args[1]) : 1),
  "_==_": comparison,
  "_!=_": comparison,
  "_<_": order,
  "_<=_": order,
  "_>_": order,
  "_>=_": order,
  "_+_": (args) => (isText(args[0]) ? Math.ceil((size(args[0]) + size(args[1])) * TRAVERSAL) : 1),
  contains: (args) => traverse(args[0]) * traverse(args[1]),
  check: () => 350_000, // somebody else may have to be asked
  "sets.contains": pairs(1),
  "sets.intersects": pairs(1),
  "sets.equivalent": pairs(2),
  sort: sorting,
  "@sortByAssociatedKeys": (args) => sorting(args.slice(1)),
  distinct: deep,
  flatten: deep,
  slice: first,
  reverse: first,
  "lists.range": (args) => 1 + Math.ceil(Number(numeric(args[0] ?? 0n) ?? 0) * TRAVERSAL),
});

const ONE: CallCost = () => 1;

/** What a call costs by its arguments; charged before it is run, so that it never runs beyond the limit. */
export const callCostOf = (fn: string): CallCost => (Object.hasOwn(COSTS, fn) ? COSTS[fn] : undefined) ?? ONE;

const RESULT_FACTORS = new Map([
  ["join", 2],
  ["format", 1],
]);

/** What is added for the result; undefined if nothing ever is. */
export function resultCostOf(fn: string): ((result: Value) => number) | undefined {
  const factor = RESULT_FACTORS.get(fn);
  return factor === undefined ? undefined : (result) => traverse(result, factor);
}
