// + - * / % and the sign, for numbers, texts, bytes, lists, times and durations. Integers have 64 bits and overflow is
// an error.

import { ArrayList, itemsOf } from "../values/collections.ts";
import { countWork } from "../values/inspect.ts";
import {
  CelError,
  CostExceeded,
  Duration,
  isList,
  type ListValue,
  noSuchOverload,
  Timestamp,
  Uint,
  type Value,
} from "../values/value.ts";
import { declareOpen, type FunctionDecl } from "./declare.ts";
import { addSizes, costToTraverse, isText, type Price, sizeAt, sizeOfArg, TRAVERSAL } from "./price.ts";

const INT_MIN = -(2n ** 63n);
const INT_MAX = 2n ** 63n - 1n;
const UINT_MAX = 2n ** 64n - 1n;
const NANOS = 1_000_000_000n;
const TIME_MIN = -62_135_596_800n * NANOS;
const TIME_END = 253_402_300_800n * NANOS;
/** Limit of the length of a computed text (in UTF-16 units): far above the size of a request. */
export const TEXT_MAX = 64 * 1024 * 1024;

export function toInt(value: bigint): bigint {
  if (value < INT_MIN || value > INT_MAX) throw new CelError("integer overflow");
  return value;
}
export function toUint(value: bigint): Uint {
  if (value < 0n || value > UINT_MAX) throw new CelError("unsigned integer overflow");
  return new Uint(value);
}
export function toDuration(nanos: bigint): Duration {
  if (nanos < INT_MIN || nanos > INT_MAX) throw new CelError("duration overflow");
  return new Duration(nanos);
}
export function toTimestamp(nanos: bigint): Timestamp {
  if (nanos < TIME_MIN || nanos >= TIME_END) throw new CelError("timestamp overflow");
  return new Timestamp(nanos);
}
/** Returns the text if it is within the limit. */
export function toText(text: string): string {
  if (text.length > TEXT_MAX) throw new CostExceeded();
  return text;
}

function add(a: Value, b: Value): Value {
  if (typeof a === "bigint" && typeof b === "bigint") return toInt(a + b);
  if (typeof a === "string" && typeof b === "string") return toText(a + b);
  if (typeof a === "number" && typeof b === "number") return a + b;
  if (a instanceof Uint && b instanceof Uint) return toUint(a.value + b.value);
  if (isList(a) && isList(b)) return addLists(a, b);
  if (a instanceof Uint8Array && b instanceof Uint8Array) return Buffer.concat([a, b]);
  if (a instanceof Duration && b instanceof Duration) return toDuration(a.nanos + b.nanos);
  if (a instanceof Duration && b instanceof Timestamp) return toTimestamp(a.nanos + b.nanos);
  if (a instanceof Timestamp && b instanceof Duration) return toTimestamp(a.nanos + b.nanos);
  throw noSuchOverload(typeof a === "boolean" || a === null ? "_+_" : undefined);
}

function addLists(a: ListValue, b: ListValue): Value {
  countWork(a instanceof ArrayList && a.growing ? b.size : a.size + b.size);
  if (a instanceof ArrayList && a.growing) {
    for (const item of itemsOf(b)) a.items.push(item);
    return a;
  }
  if (a.size === 0) return b;
  return b.size === 0 ? a : new ArrayList([...itemsOf(a), ...itemsOf(b)]);
}

/** Errors for texts and booleans contain the name of the operator. */
const refused = (a: Value, operator: string): CelError =>
  noSuchOverload(typeof a === "string" || typeof a === "boolean" ? operator : undefined);

function subtract(a: Value, b: Value): Value {
  if (typeof a === "bigint" && typeof b === "bigint") return toInt(a - b);
  if (typeof a === "number" && typeof b === "number") return a - b;
  if (a instanceof Uint && b instanceof Uint) return toUint(a.value - b.value);
  if (a instanceof Duration && b instanceof Duration) return toDuration(a.nanos - b.nanos);
  if (a instanceof Timestamp && b instanceof Timestamp) return toDuration(a.nanos - b.nanos);
  if (a instanceof Timestamp && b instanceof Duration) return toTimestamp(a.nanos - b.nanos);
  throw refused(a, "_-_");
}

function multiply(a: Value, b: Value): Value {
  if (typeof a === "bigint" && typeof b === "bigint") return toInt(a * b);
  if (typeof a === "number" && typeof b === "number") return a * b;
  if (a instanceof Uint && b instanceof Uint) return toUint(a.value * b.value);
  throw refused(a, "_*_");
}

const isZero = (value: Value): boolean => (value instanceof Uint ? value.value : value) === 0n;

function divide(a: Value, b: Value): Value {
  if (typeof a === "number" && typeof b === "number") return a / b;
  if (isZero(b)) throw new CelError("division by zero");
  if (typeof a === "bigint" && typeof b === "bigint") return toInt(a / b);
  if (a instanceof Uint && b instanceof Uint) return toUint(a.value / b.value);
  throw refused(a, "_/_");
}

function modulo(a: Value, b: Value): Value {
  if (isZero(b)) throw new CelError("modulus by zero");
  if (typeof a === "bigint" && typeof b === "bigint") {
    if (a === INT_MIN && b === -1n) throw new CelError("integer overflow");
    return a % b;
  }
  if (a instanceof Uint && b instanceof Uint) return toUint(a.value % b.value);
  throw noSuchOverload(typeof a === "bigint" ? undefined : "_%_");
}

function negate(a: Value): Value {
  if (typeof a === "bigint") return toInt(-a);
  if (typeof a === "number") return -a;
  throw noSuchOverload(typeof a === "boolean" ? undefined : "-_");
}

const joining: Price = {
  cost: ([a, b]) => (isText(a) ? Math.ceil((sizeOfArg(a) + sizeOfArg(b)) * TRAVERSAL) : 1),
  estimate: (operands, { args: [type] }) => {
    const size = addSizes(sizeAt(operands, 0), sizeAt(operands, 1));
    if (type?.kind === "list") return { cost: 1, size };
    return type?.kind === "string" || type?.kind === "bytes"
      ? { cost: costToTraverse(size), size }
      : { cost: 1 };
  },
};

const same = (name: string, types: readonly string[], run: typeof add, price?: Price): FunctionDecl[] =>
  types.map((type) => declareOpen(`${name}(${type}, ${type}) -> ${type}`, run, price));

const NUMBERS = ["double", "int", "uint"];

export const arithmeticFunctions = (): FunctionDecl[] => [
  ...same("_+_", ["bytes", "string", "list(A)", ...NUMBERS, "duration"], add, joining),
  declareOpen("_+_(duration, timestamp) -> timestamp", add),
  declareOpen("_+_(timestamp, duration) -> timestamp", add),
  ...same("_-_", [...NUMBERS, "duration"], subtract),
  declareOpen("_-_(timestamp, duration) -> timestamp", subtract),
  declareOpen("_-_(timestamp, timestamp) -> duration", subtract),
  ...same("_*_", NUMBERS, multiply),
  ...same("_/_", NUMBERS, divide),
  ...same("_%_", ["int", "uint"], modulo),
  declareOpen("-_(double) -> double", negate),
  declareOpen("-_(int) -> int", negate),
];
