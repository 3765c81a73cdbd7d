// Functions on lists: those of Kubernetes (isSorted, sum, min, max, indexOf), those of the lists extension (slice,
// flatten, sort, distinct …), and set functions.

import { ArrayList, itemsOf } from "../values/collections.ts";
import { compare, countWork, equals, numeric, typeOfValue } from "../values/inspect.ts";
import {
  CelError,
  CostExceeded,
  Duration,
  isList,
  type ListValue,
  noSuchOverload,
  type Value,
} from "../values/value.ts";
import { toDuration, toInt, toUint } from "./arithmetic.ts";
import { declare, type FunctionDecl, type Run } from "./declare.ts";
import { toOptional } from "./optionals.ts";
import { type Price, pairs, scan, scanAll, sizeOfArg, TRAVERSAL, traverseAll } from "./price.ts";

/** The longest list that lists.range() creates. */
const RANGE_MAX = 1_000_000n;
/** The most pairs that distinct() compares if values have no hash key. */
const PAIRS_MAX = 10_000_000;

const COMPARABLE = ["int", "uint", "double", "bool", "duration", "timestamp", "string", "bytes"];

/** An overload for each ordered type, in place of the $. */
const ofComparable = (signature: string, run: Run, price: Price): FunctionDecl[] =>
  COMPARABLE.map((type) => declare(signature.replaceAll("$", type), run, price));

function isSorted(list: ListValue): Value {
  const items = itemsOf(list);
  return items.every(
    (item, index) => index === 0 || compare(items[index - 1] ?? null, item, "isSorted") <= 0,
  );
}

const sumWhole =
  (make: (total: bigint) => Value) =>
  (list: ListValue): Value =>
    make(itemsOf(list).reduce((before: bigint, item) => before + wholeOf(item), 0n));

const sumDoubles = (list: ListValue): Value =>
  itemsOf(list).reduce((total: number, item) => total + (typeof item === "number" ? item : Number.NaN), 0);

function wholeOf(item: Value): bigint {
  if (item instanceof Duration) return item.nanos;
  const number = numeric(item);
  if (typeof number !== "bigint") throw noSuchOverload();
  return number;
}

const extreme = (name: string, sign: number) =>
  ofComparable(
    `list($).${name}() -> $`,
    (list: ListValue) => {
      const [first, ...rest] = itemsOf(list);
      if (first === undefined) throw new CelError(`${name} called on empty list`);
      return rest.reduce((best, item) => (compare(best, item, name) * sign < 0 ? item : best), first);
    },
    scanAll,
  );

const indexOf = (list: ListValue, of: Value): Value =>
  BigInt(itemsOf(list).findIndex((item) => equals(item, of)));

const lastIndexOf = (list: ListValue, of: Value): Value =>
  BigInt(itemsOf(list).findLastIndex((item) => equals(item, of)));

export const kubernetesListFunctions = (): FunctionDecl[] => [
  ...ofComparable("list($).isSorted() -> bool", isSorted, scanAll),
  declare("list(int).sum() -> int", sumWhole(toInt), scanAll),
  declare("list(uint).sum() -> uint", sumWhole(toUint)),
  declare("list(double).sum() -> double", sumDoubles),
  declare("list(duration).sum() -> duration", sumWhole(toDuration)),
  ...extreme("max", 1),
  ...extreme("min", -1),
  declare("list(T).indexOf(T) -> int", indexOf, scanAll),
  declare("list(T).lastIndexOf(T) -> int", lastIndexOf, scanAll),
];

function slice(list: ListValue, start: bigint, end: bigint): Value {
  const shown = `cannot slice(${start}, ${end})`;
  if (start < 0n || end < 0n) throw new CelError(`${shown}, negative indexes not supported`);
  if (start > end) throw new CelError(`${shown}, start index must be less than or equal to end index`);
  if (BigInt(list.size) < end) throw new CelError(`${shown}, list is length ${list.size}`);
  return new ArrayList(itemsOf(list).slice(Number(start), Number(end)));
}

function flatten(list: ListValue, depth: bigint): Value[] {
  if (depth < 0n) throw new CelError("level must be non-negative");
  countWork();
  return itemsOf(list).flatMap((item) => (isList(item) && depth > 0n ? flatten(item, depth - 1n) : [item]));
}

function sort(list: ListValue, by = list): Value {
  const keys = itemsOf(by);
  if (new Set(keys.map((key) => typeOfValue(key).name)).size > 1) {
    throw new CelError("list elements must have the same type");
  }
  const sorted = itemsOf(list).map((item, index) => ({ item, key: keys[index] ?? null }));
  sorted.sort((a, b) => compare(a.key, b.key, "sort"));
  return new ArrayList(sorted.map(({ item }) => item));
}

function distinct(list: ListValue): Value {
  const seen = new Set<string>();
  const kept: Value[] = [];
  const others: Value[] = [];
  let compared = 0;
  for (const item of itemsOf(list)) {
    const number = numeric(item);
    if (typeof item === "object" && number === undefined) {
      compared += others.length;
      if (compared > PAIRS_MAX) throw new CostExceeded();
      if (others.some((other) => equals(other, item))) continue;
      others.push(item);
    } else {
      const key = number === undefined ? `${typeof item}:${item}` : `number:${number}`;
      if (seen.has(key)) continue;
      seen.add(key);
    }
    kept.push(item);
  }
  return new ArrayList(kept);
}

function range(count: bigint): Value {
  if (count > RANGE_MAX) throw new CostExceeded();
  return new ArrayList(Array.from({ length: Math.max(0, Number(count)) }, (_, index) => BigInt(index)));
}

/** A sort compares each item about as often as the length has binary digits. */
const sortCost = (list: Value | undefined): number =>
  traverseAll(list === undefined ? [] : [list]) * Math.ceil(Math.log2(sizeOfArg(list) + 2));

const flat = (list: ListValue, depth = 1n): Value => new ArrayList(flatten(list, depth));

export const listExtensionFunctions = (): FunctionDecl[] => [
  declare("list(T).slice(int, int) -> list(T)", slice, scan),
  declare("list(list(T)).flatten() -> list(T)", flat, { cost: traverseAll }),
  declare("list(dyn).flatten(int) -> list(dyn)", flat),
  ...ofComparable("list($).sort() -> list($)", sort, { cost: ([list]) => sortCost(list) }),
  ...ofComparable("list(T).@sortByAssociatedKeys(list($)) -> list(T)", sort, {
    cost: ([, keys]) => sortCost(keys),
  }),
  declare("list(T).distinct() -> list(T)", distinct, { cost: traverseAll }),
  declare(
    "list(T).reverse() -> list(T)",
    (list: ListValue) => new ArrayList(itemsOf(list).toReversed()),
    scan,
  ),
  declare("lists.range(int) -> list(int)", range, {
    cost: ([count]) => 1 + Math.ceil(Number(numeric(count ?? 0n) ?? 0) * TRAVERSAL),
  }),
  declare("list(T).first() -> optional(T)", (list: ListValue) => toOptional(itemsOf(list).at(0))),
  declare("list(T).last() -> optional(T)", (list: ListValue) => toOptional(itemsOf(list).at(-1))),
];

function hasAll(list: ListValue, parts: ListValue): boolean {
  const items = itemsOf(list);
  return itemsOf(parts).every((part) => items.some((item) => equals(item, part)));
}

function hasAny(list: ListValue, others: ListValue): boolean {
  const items = itemsOf(others);
  return itemsOf(list).some((item) => items.some((other) => equals(item, other)));
}

export const setFunctions = (): FunctionDecl[] => [
  declare("sets.contains(list(T), list(T)) -> bool", hasAll, pairs(1)),
  declare(
    "sets.equivalent(list(T), list(T)) -> bool",
    (a: ListValue, b: ListValue) => hasAll(a, b) && hasAll(b, a),
    pairs(2),
  ),
  declare("sets.intersects(list(T), list(T)) -> bool", hasAny, pairs(1)),
];
