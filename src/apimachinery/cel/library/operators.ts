// Logic, equality, order, membership, size and lookups. Operators that the planner implements (&&, ||, ?:, lookups) are
// only declared here.
import type { CelType } from "../language/types.ts";
import { describeKey, EntryMap } from "../values/collections.ts";
import { compare, equals, sizeOf, typeOfValue } from "../values/inspect.ts";
import {
  CelError,
  isList,
  isMap,
  isOpaque,
  type MapValue,
  noSuchOverload,
  TypeValue,
  Uint,
  type Value,
} from "../values/value.ts";
import { declare, declareOpen, type FunctionDecl } from "./declare.ts";
import {
  type CallCost,
  type CallEstimate,
  costToTraverse,
  isText,
  type Operand,
  type Price,
  sizeAt,
  sizeOfArg,
  TRAVERSAL,
} from "./price.ts";

/** Every pair of types that have an order. */
const ORDERED = [
  "bool, bool",
  "int, int",
  "int, double",
  "int, uint",
  "uint, uint",
  "uint, double",
  "uint, int",
  "double, double",
  "double, int",
  "double, uint",
  "string, string",
  "bytes, bytes",
  "timestamp, timestamp",
  "duration, duration",
];

const comparison: CallCost = ([a, b]) =>
  isOpaque(a) ? 1 : Math.ceil(Math.min(sizeOfArg(a), sizeOfArg(b)) * TRAVERSAL);

const estimateComparison = (operands: readonly Operand[]): CallEstimate => {
  const max = Math.min(sizeAt(operands, 0).max, sizeAt(operands, 1).max);
  return { cost: costToTraverse({ min: 0, max }) };
};

const ordering: Price = {
  cost: (args) => (isText(args[0]) ? comparison(args) : 1),
  estimate: (operands, { args: [type] }) =>
    type?.kind === "string" || type?.kind === "bytes" ? estimateComparison(operands) : { cost: 1 },
};

const isLibrary = (type: CelType): boolean => type.kind === "struct" && type.name.startsWith("kubernetes.");

const equality: Price = {
  cost: comparison,
  estimate: (operands) => {
    const [a, b] = operands.map(({ type }) => type);
    if (a?.kind === "opaque" && b?.kind === "opaque") return { cost: 1 };
    return a && isLibrary(a) && b?.kind === "struct" ? { cost: 1 } : estimateComparison(operands);
  },
};

const membership: Price = {
  cost: ([, within]) => (isList(within) ? sizeOfArg(within) : 1),
  estimate: (operands, { args: [, within] }) => ({
    cost: within?.kind === "list" ? sizeAt(operands, 1).max : 1,
  }),
};

function relation(name: string, holds: (order: number) => boolean): FunctionDecl[] {
  const run = (a: Value, b: Value): Value => holds(compare(a, b, name));
  return ORDERED.map((pair) => declareOpen(`${name}(${pair}) -> bool`, run, ordering));
}

function contains(item: Value, within: Value): Value {
  if (isMap(within)) return within.find(item) !== undefined;
  if (!isList(within)) throw noSuchOverload();
  for (let index = 0; index < within.size; index++) if (equals(within.at(index), item)) return true;
  return false;
}

function size(of: Value): Value {
  const found = sizeOf(of);
  if (found === undefined) throw noSuchOverload("size");
  return BigInt(found);
}

function not(value: Value): Value {
  if (typeof value !== "boolean") throw noSuchOverload();
  return !value;
}

/** The map of a macro, which is changed in place, or a copy of any other. */
function toFill(map: MapValue): EntryMap {
  return map instanceof EntryMap && map.growing ? map : insertAll(new EntryMap(), map);
}

function insertAll(into: EntryMap, map: MapValue): EntryMap {
  for (const key of map.keys()) into.insert(key, map.find(key) ?? null);
  return into;
}

function insertOne(map: MapValue, key: Value, value: Value): Value {
  const into = toFill(map);
  into.insert(key, value);
  return into;
}

const SIZED = ["bytes", "list(A)", "map(A, B)", "string"];

export const operatorFunctions = (): FunctionDecl[] => [
  declare("_?_:_(bool, A, A) -> A"),
  declare("_&&_(bool, bool) -> bool"),
  declare("_||_(bool, bool) -> bool"),
  declareOpen("!_(bool) -> bool", not),
  declare("@not_strictly_false(bool) -> bool"),
  declareOpen("_==_(A, A) -> bool", equals, equality),
  declareOpen("_!=_(A, A) -> bool", (a: Value, b: Value) => !equals(a, b), {
    cost: comparison,
    estimate: estimateComparison,
  }),
  ...relation("_<_", (order) => order < 0),
  ...relation("_<=_", (order) => order <= 0),
  ...relation("_>_", (order) => order > 0),
  ...relation("_>=_", (order) => order >= 0),
  declare("_[_](list(A), int) -> A"),
  declare("_[_](map(A, B), A) -> B"),
  declare("_[_](optional(list(A)), int) -> optional(A)"),
  declare("_[_](optional(map(A, B)), A) -> optional(B)"),
  declare("_[?_](list(A), int) -> optional(A)"),
  declare("_[?_](optional(list(A)), int) -> optional(A)"),
  declare("_[?_](map(A, B), A) -> optional(B)"),
  declare("_[?_](optional(map(A, B)), A) -> optional(B)"),
  declareOpen("@in(A, list(A)) -> bool", contains, membership),
  declareOpen("@in(A, map(A, B)) -> bool", contains, membership),
  ...SIZED.map((type) => declareOpen(`size(${type}) -> int`, size)),
  ...SIZED.map((type) => declareOpen(`${type}.size() -> int`, size)),
  declareOpen("dyn(A) -> dyn", (value: Value) => value),
  declareOpen("type(A) -> type(A)", (value: Value) => new TypeValue(typeOfValue(value))),
  declare("cel.@mapInsert(map(A, B), A, B) -> map(A, B)", insertOne),
  declare("cel.@mapInsert(map(A, B), map(A, B)) -> map(A, B)", (map: MapValue, more: MapValue) =>
    insertAll(toFill(map), more),
  ),
];

/** The element of a list or map, by position or key. */
export function lookUp(within: Value, key: Value): Value {
  const found = tryLookUp(within, key);
  if (found !== undefined) return found;
  if (isList(within)) throw new CelError(within.outOfRange(positionOf(key)));
  throw new CelError(`no such key: ${describeKey(key)}`);
}

/** As lookUp; undefined for an absent element. */
export function tryLookUp(within: Value, key: Value): Value | undefined {
  if (isMap(within)) return within.find(key);
  if (!isList(within)) throw noSuchOverload();
  const position = positionOf(key);
  return position >= 0n && position < BigInt(within.size) ? within.at(Number(position)) : undefined;
}

function positionOf(key: Value): bigint {
  if (typeof key === "bigint") return key;
  if (typeof key === "number" && Number.isInteger(key)) return BigInt(key);
  if (typeof key === "number") throw new CelError(`unsupported index value ${key} in list`);
  if (key instanceof Uint) return key.value;
  throw new CelError(`unsupported index type '${typeOfValue(key).name}' in list`);
}
