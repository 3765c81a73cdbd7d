// What a call may cost at most, and how large its result may get, from the sizes of its arguments.
import { lookupTable } from "../../meta/json.ts";
import type { Overload } from "../language/overload.ts";
import type { CelType } from "../language/types.ts";
import { REGEX_LENGTH, TRAVERSAL } from "./call-cost.ts";
import {
  addCosts,
  addSizes,
  costBySize,
  fixedSize,
  multiplyCosts,
  multiplySizes,
  type Size,
  UNKNOWN_SIZE,
} from "./estimate.ts";

export interface Operand {
  readonly type: CelType;
  /** undefined: nothing is known of it. */
  readonly size: Size | undefined;
  /** Of a list: what is known of its items. */
  readonly itemSize: Size | undefined;
  /** A constant whole number. */
  readonly constant: bigint | undefined;
}

export interface CallEstimate {
  readonly cost: number;
  readonly size?: Size;
}

/** Receiver first, if there is one. */
type Estimate = (operands: readonly Operand[], overload: Overload) => CallEstimate | undefined;

const sizeAt = (operands: readonly Operand[], index: number): Size => operands[index]?.size ?? UNKNOWN_SIZE;

const unit: Estimate = () => ({ cost: 1 });
const traverse =
  (factor: number, index = 0): Estimate =>
  (operands) => ({ cost: costBySize(sizeAt(operands, index), factor * TRAVERSAL) });

/** Only the member form is priced by size; parsing functions, which are global, cost a unit. */
const keepSize: Estimate = (operands) => {
  const size = sizeAt(operands, 0);
  return { cost: costBySize(size, TRAVERSAL), size };
};

const overList: Estimate = (operands) => {
  const [list] = operands;
  const size = sizeAt(operands, 0);
  const item = list?.type.params[0];
  if (!item) return { cost: costBySize(size, TRAVERSAL) };
  const isText = item.kind === "string" || item.kind === "bytes";
  const each = 1 + (isText ? costBySize(list?.itemSize ?? UNKNOWN_SIZE, TRAVERSAL) : 0);
  return { cost: multiplyCosts(size.max, each) };
};

const replace: Estimate = (operands) => {
  const text = sizeAt(operands, 0);
  const old = sizeAt(operands, 1);
  const fresh = sizeAt(operands, 2);
  let count = 0;
  let kept = 0;
  if (old.min === 0) {
    count = text.max + 1;
    kept = text.max;
  } else if (fresh.max <= old.min) kept = text.max;
  else count = Math.ceil(text.max / old.min);
  const size = addSizes(multiplySizes({ min: 0, max: count }, fresh), { min: 0, max: kept });
  return { cost: costBySize(text, 2 * TRAVERSAL), size };
};

const split: Estimate = (operands) => {
  const text = sizeAt(operands, 0);
  const limit = operands[2]?.constant;
  const max = limit === undefined || limit < 0n ? text.max : Number(limit);
  return { cost: costBySize(text, 2 * TRAVERSAL), size: { min: 0, max } };
};

const join: Estimate = (operands) => {
  const list = sizeAt(operands, 0);
  const items = operands[0]?.type.params[0] ? (operands[0].itemSize ?? UNKNOWN_SIZE) : fixedSize(0);
  let size = multiplySizes(list, items);
  if (operands.length > 1) {
    const gaps = { min: Math.max(0, list.min - 1), max: Math.max(0, list.max - 1) };
    size = addSizes(size, multiplySizes(sizeAt(operands, 1), gaps));
  }
  return { cost: costBySize(size, TRAVERSAL), size };
};

const pattern = (operands: readonly Operand[]): number =>
  multiplyCosts(
    costBySize(addSizes(sizeAt(operands, 0), fixedSize(1)), TRAVERSAL),
    costBySize(sizeAt(operands, 1), REGEX_LENGTH),
  );

const find: Estimate = (operands) => ({
  cost: pattern(operands),
  size: { min: 0, max: sizeAt(operands, 0).max },
});

const ADDRESS_BYTES: Size = { min: 4, max: 16 };
const addressCost = costBySize(addSizes(ADDRESS_BYTES, ADDRESS_BYTES), TRAVERSAL);

const contains =
  (extra: number): Estimate =>
  (operands, { id }) => ({
    cost: addCosts([
      addressCost + extra,
      id.endsWith("_string") ? Math.ceil(sizeAt(operands, 1).max * TRAVERSAL) : 0,
    ]),
  });

const validate: Estimate = (operands) => ({
  cost: Math.ceil(costBySize(sizeAt(operands, 1), TRAVERSAL) * NAME_PATTERN_SIZE * REGEX_LENGTH),
});
const NAME_PATTERN_SIZE = 128;

const equality: Estimate = (operands) => {
  const [a, b] = operands;
  const kinds = [a?.type.kind, b?.type.kind];
  if (
    kinds.every((kind) => kind === "opaque") ||
    (kinds.every((kind) => kind === "struct") && isLibrary(a?.type))
  ) {
    return { cost: 1 };
  }
  return comparison(operands);
};

const isLibrary = (type: CelType | undefined): boolean => type?.name.startsWith("kubernetes.") === true;

const comparison = (operands: readonly Operand[]): CallEstimate => {
  const max = Math.min(sizeAt(operands, 0).max, sizeAt(operands, 1).max);
  return { cost: costBySize({ min: 0, max }, TRAVERSAL) };
};

const order: Estimate = (operands, { id }) =>
  /_(string|bytes)$/.test(id) ? comparison(operands) : { cost: 1 };

const add: Estimate = (operands, { id }) => {
  const size = addSizes(sizeAt(operands, 0), sizeAt(operands, 1));
  if (id === "add_list") return { cost: 1, size };
  return id === "add_string" || id === "add_bytes"
    ? { cost: costBySize(size, TRAVERSAL), size }
    : { cost: 1 };
};

const textContains: Estimate = (operands) => ({
  cost: multiplyCosts(costBySize(sizeAt(operands, 0), TRAVERSAL), costBySize(sizeAt(operands, 1), TRAVERSAL)),
});

const pairs =
  (factor: number): Estimate =>
  (operands) => ({
    cost: addCosts([
      multiplyCosts(multiplyCosts(sizeAt(operands, 0).max, sizeAt(operands, 1).max), factor),
      1,
    ]),
  });

const ESTIMATES: Readonly<Record<string, Estimate>> = lookupTable({
  isSorted: overList,
  sum: overList,
  max: overList,
  min: overList,
  indexOf: overList,
  lastIndexOf: overList,
  url: keepSize,
  lowerAscii: keepSize,
  upperAscii: keepSize,
  substring: keepSize,
  trim: keepSize,
  replace,
  split,
  join,
  find,
  findAll: find,
  "format.named": unit,
  containsIP: contains(0),
  containsCIDR: contains(costBySize(ADDRESS_BYTES, TRAVERSAL) + 1),
  validate,
  "_==_": equality,
  "_!=_": (operands) => comparison(operands),
  "_<_": order,
  "_<=_": order,
  "_>_": order,
  "_>=_": order,
  "_+_": add,
  startsWith: traverse(1, 1),
  endsWith: traverse(1, 1),
  "strings.quote": (operands) => {
    const { min, max } = sizeAt(operands, 0);
    return {
      cost: costBySize({ min, max }, TRAVERSAL),
      size: { min: min + 2, max: Math.min(max * 2 + 2, UNKNOWN_SIZE.max) },
    };
  },
  matches: (operands, { isMember }) => (isMember ? { cost: pattern(operands) } : { cost: 1 }),
  contains: textContains,
  "@in": (operands, { id }) => ({ cost: id === "in_list" ? sizeAt(operands, 1).max : 1 }),
  "sets.contains": pairs(1),
  "sets.intersects": pairs(1),
  "sets.equivalent": pairs(2),
});

export function estimateCall(fn: string, operands: readonly Operand[], overload: Overload): CallEstimate {
  if (overload.id === "string_to_bytes") {
    const { min, max } = sizeAt(operands, 0);
    return {
      cost: costBySize({ min, max }, TRAVERSAL),
      size: { min, max: Math.min(max * 4, UNKNOWN_SIZE.max) },
    };
  }
  if (overload.id === "bytes_to_string") {
    const size = sizeAt(operands, 0);
    return { cost: costBySize(size, TRAVERSAL), size };
  }
  const estimate = Object.hasOwn(ESTIMATES, fn) ? ESTIMATES[fn] : undefined;
  return estimate?.(operands, overload) ?? { cost: 1 };
}
