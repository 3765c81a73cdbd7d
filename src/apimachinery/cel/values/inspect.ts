// Generic operations on values: type, size, equality and order.

import {
  BOOL,
  BYTES,
  type CelType,
  DOUBLE,
  DURATION,
  DYN,
  INT,
  listOf,
  mapOf,
  NULL,
  optionalOf,
  STRING,
  TIMESTAMP,
  TYPE,
  UINT,
} from "../language/types.ts";
import {
  CostExceeded,
  Duration,
  isList,
  isMap,
  isOpaque,
  noSuchOverload,
  Optional,
  Timestamp,
  TypeValue,
  Uint,
  type Value,
} from "./value.ts";

/**
 * Limit of work that the cost of calls does not cover: values may share parts, so a small value can be huge to compare
 * or to format. One evaluation runs at a time, from resetWork on.
 */
const STEPS_MAX = 5_000_000;

/**
 * Limit of pattern matching steps: at most one per instruction and letter, at about 35 ns each. The cost of calls
 * depends on the length of a pattern only, but "[a-z]{1000}" has a thousand instructions. A real server has no such
 * limit. With it, one evaluation takes at most some 10 s, in a worker thread.
 */
const MATCHING_MAX = 300_000_000;
/**
 * The limit per unit of cost if an evaluation has less than the usual cost limit. When it is reached the evaluation is
 * moved elsewhere.
 */
const MATCHING_PER_COST = 20;

let left = STEPS_MAX;
let matchingMax = MATCHING_MAX;
let matching = 0;

/** `cost`: the cost limit of the evaluation, if it is less than usual. */
export function resetWork(cost?: number): void {
  left = STEPS_MAX;
  matchingMax = cost === undefined ? MATCHING_MAX : cost * MATCHING_PER_COST;
  matching = 0;
}

/** Counts steps of matching before they are made. */
export function countMatching(steps: number): void {
  matching += steps;
  if (matching > matchingMax) throw new CostExceeded();
}

/** The pattern matching of the evaluation so far, as a cost. */
export const matchingCost = (): number => matching / MATCHING_PER_COST;

/** Counts visited values. */
export function countWork(steps = 1): void {
  left -= steps;
  if (left < 0) throw new CostExceeded();
}

const LIST = listOf(DYN);
const MAP = mapOf(DYN, DYN);
const OPTIONAL = optionalOf(DYN);

/** The type of a value at run time; elements count as dyn. */
export function typeOfValue(value: Value): CelType {
  if (typeof value === "bigint") return INT;
  if (typeof value === "number") return DOUBLE;
  if (typeof value === "string") return STRING;
  if (typeof value === "boolean") return BOOL;
  if (value === null) return NULL;
  if (value instanceof Uint) return UINT;
  if (value instanceof Timestamp) return TIMESTAMP;
  if (value instanceof Duration) return DURATION;
  if (value instanceof TypeValue) return TYPE;
  if (value instanceof Optional) return OPTIONAL;
  if (value instanceof Uint8Array) return BYTES;
  if (value.tag === "opaque") return value.celType;
  return value.tag === "list" ? LIST : MAP;
}

/** The number of characters, bytes, items or entries; undefined for values without a size. */
export function sizeOf(value: Value): number | undefined {
  if (typeof value === "string") return lengthOf(value);
  if (value instanceof Uint8Array) return value.length;
  return isList(value) || isMap(value) ? value.size : undefined;
}

/** The length of a text in code points. */
export function lengthOf(text: string): number {
  let surrogates = 0;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    if (unit >= 0xd800 && unit <= 0xdbff) surrogates++;
  }
  return text.length - surrogates;
}

/** The value of a number of any of the three types, undefined otherwise. */
export function numeric(value: Value): bigint | number | undefined {
  if (typeof value === "bigint" || typeof value === "number") return value;
  return value instanceof Uint ? value.value : undefined;
}

export function equals(a: Value, b: Value): boolean {
  countWork();
  if (a === b) return true;
  if (typeof a === "string" || typeof a === "boolean" || a === null) return false;
  const left = numeric(a);
  if (left !== undefined) {
    const right = numeric(b);
    return right !== undefined && left <= right && left >= right; // 1 equals 1.0, NaN nothing
  }
  if (isList(a)) return isList(b) && a.equals(b);
  if (isMap(a)) return isMap(b) && a.equals(b);
  if (isOpaque(a)) return isOpaque(b) && a.celType.name === b.celType.name && a.equals(b);
  return equalsClass(a, b);
}

function equalsClass(a: Value, b: Value): boolean {
  if (a instanceof Timestamp) return b instanceof Timestamp && a.nanos === b.nanos;
  if (a instanceof Duration) return b instanceof Duration && a.nanos === b.nanos;
  if (a instanceof TypeValue) return b instanceof TypeValue && a.type.name === b.type.name;
  if (a instanceof Uint8Array) return b instanceof Uint8Array && Buffer.compare(a, b) === 0;
  if (a instanceof Optional && b instanceof Optional) {
    if (a.value === undefined || b.value === undefined) return a.value === b.value;
    return equals(a.value, b.value);
  }
  return false;
}

/** -1, 0 or 1; throws for types without an order, and for two types that do not compare. */
export function compare(a: Value, b: Value, operator: string): number {
  const left = numeric(a);
  if (left !== undefined) return orderOf(left, numeric(b));
  if (typeof a === "boolean") return orderOf(a, typeof b === "boolean" ? b : undefined);
  if (a instanceof Timestamp) return orderOf(a.nanos, b instanceof Timestamp ? b.nanos : undefined);
  if (a instanceof Duration) return orderOf(a.nanos, b instanceof Duration ? b.nanos : undefined);
  if (typeof a === "string" && typeof b === "string")
    return a === b ? 0 : Buffer.compare(Buffer.from(a), Buffer.from(b));
  if (a instanceof Uint8Array && b instanceof Uint8Array) return Buffer.compare(a, b);
  throw noSuchOverload(typeof a === "string" || a instanceof Uint8Array ? undefined : operator);
}

type Ordered = bigint | number | boolean;

function orderOf(a: Ordered, b: Ordered | undefined): number {
  if (b === undefined) throw noSuchOverload();
  return a < b ? -1 : a > b ? 1 : 0;
}

/** True if a value may be passed for a declared type; checks only the value itself, not its elements. */
export function fitsType(type: CelType, value: Value): boolean {
  if (type.kind === "dyn" || type.kind === "param") return true;
  const actual = typeOfValue(value);
  return actual.kind === type.kind && (actual.kind === "type" || actual.name === type.name);
}
