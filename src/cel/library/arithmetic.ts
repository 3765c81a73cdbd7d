// + - * / % and the sign, for numbers, texts, bytes, lists, times and durations. Integers have 64 bits and overflow
// is an error.
import { type FunctionDecl, global } from "../language/overload.ts";
import {
  BYTES,
  type CelType,
  DOUBLE,
  DURATION,
  INT,
  listOf,
  param,
  STRING,
  TIMESTAMP,
  UINT,
} from "../language/types.ts";
import { CelError, CostExceeded, noSuchOverload } from "../values/cel-error.ts";
import { ArrayList, itemsOf } from "../values/collections.ts";
import { Duration, isList, Timestamp, Uint, type Value } from "../values/value.ts";
import { countWork } from "../values/work.ts";
import { valueAt } from "./args.ts";

const INT_MIN = -(2n ** 63n);
const INT_MAX = 2n ** 63n - 1n;
const UINT_MAX = 2n ** 64n - 1n;
const NANOS = 1_000_000_000n;
const TIME_MIN = -62_135_596_800n * NANOS;
const TIME_END = 253_402_300_800n * NANOS;
/** No text that an expression makes may be longer (in UTF-16 units): far above what a request can hold. */
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
/** Lets a text through that is not absurdly long. */
export function toText(text: string): string {
  if (text.length > TEXT_MAX) throw new CostExceeded();
  return text;
}

function add(args: readonly Value[]): Value {
  const a = valueAt(args, 0);
  const b = valueAt(args, 1);
  if (typeof a === "bigint" && typeof b === "bigint") return toInt(a + b);
  if (typeof a === "string" && typeof b === "string") return toText(a + b);
  if (typeof a === "number" && typeof b === "number") return a + b;
  if (a instanceof Uint && b instanceof Uint) return toUint(a.value + b.value);
  if (isList(a) && isList(b)) return addLists(a, b);
  if (a instanceof Uint8Array && b instanceof Uint8Array) return Buffer.concat([a, b]);
  return addTimes(a, b);
}

function addTimes(a: Value, b: Value): Value {
  if (a instanceof Duration && b instanceof Duration) return toDuration(a.nanos + b.nanos);
  if (a instanceof Duration && b instanceof Timestamp) return toTimestamp(a.nanos + b.nanos);
  if (a instanceof Timestamp && b instanceof Duration) return toTimestamp(a.nanos + b.nanos);
  throw noSuchOverload(typeof a === "boolean" || a === null ? "_+_" : undefined);
}

function addLists(a: Value, b: Value): Value {
  if (!isList(a) || !isList(b)) throw noSuchOverload();
  countWork(a instanceof ArrayList && a.growing ? b.size : a.size + b.size);
  if (a instanceof ArrayList && a.growing) {
    for (const item of itemsOf(b)) a.items.push(item);
    return a;
  }
  if (a.size === 0) return b;
  return b.size === 0 ? a : new ArrayList([...itemsOf(a), ...itemsOf(b)]);
}

function subtract(args: readonly Value[]): Value {
  const a = valueAt(args, 0);
  const b = valueAt(args, 1);
  if (typeof a === "bigint" && typeof b === "bigint") return toInt(a - b);
  if (typeof a === "number" && typeof b === "number") return a - b;
  if (a instanceof Uint && b instanceof Uint) return toUint(a.value - b.value);
  if (a instanceof Duration && b instanceof Duration) return toDuration(a.nanos - b.nanos);
  if (a instanceof Timestamp && b instanceof Timestamp) return toDuration(a.nanos - b.nanos);
  if (a instanceof Timestamp && b instanceof Duration) return toTimestamp(a.nanos - b.nanos);
  throw noSuchOverload(typeof a === "string" || typeof a === "boolean" ? "_-_" : undefined);
}

function multiply(args: readonly Value[]): Value {
  const a = valueAt(args, 0);
  const b = valueAt(args, 1);
  if (typeof a === "bigint" && typeof b === "bigint") return toInt(a * b);
  if (typeof a === "number" && typeof b === "number") return a * b;
  if (a instanceof Uint && b instanceof Uint) return toUint(a.value * b.value);
  throw noSuchOverload(typeof a === "string" || typeof a === "boolean" ? "_*_" : undefined);
}

function divide(args: readonly Value[]): Value {
  const a = valueAt(args, 0);
  const b = valueAt(args, 1);
  if (typeof a === "number" && typeof b === "number") return a / b;
  if ((typeof b === "bigint" && b === 0n) || (b instanceof Uint && b.value === 0n)) {
    throw new CelError("division by zero");
  }
  if (typeof a === "bigint" && typeof b === "bigint") return toInt(a / b);
  if (a instanceof Uint && b instanceof Uint) return toUint(a.value / b.value);
  throw noSuchOverload(typeof a === "string" || typeof a === "boolean" ? "_/_" : undefined);
}

function modulo(args: readonly Value[]): Value {
  const a = valueAt(args, 0);
  const b = valueAt(args, 1);
  if ((typeof b === "bigint" && b === 0n) || (b instanceof Uint && b.value === 0n)) {
    throw new CelError("modulus by zero");
  }
  if (typeof a === "bigint" && typeof b === "bigint") {
    if (a === INT_MIN && b === -1n) throw new CelError("integer overflow");
    return a % b;
  }
  if (a instanceof Uint && b instanceof Uint) return toUint(a.value % b.value);
  throw noSuchOverload(typeof a === "bigint" ? undefined : "_%_");
}

function negate(args: readonly Value[]): Value {
  const a = valueAt(args, 0);
  if (typeof a === "bigint") return toInt(-a);
  if (typeof a === "number") return -a;
  throw noSuchOverload(typeof a === "boolean" ? undefined : "-_");
}

type Run = (args: readonly Value[]) => Value;

/** Overloads of two arguments of one type that give this type: [id suffix, type]. */
const same = (prefix: string, types: readonly (readonly [string, CelType])[], run: Run) =>
  types.map(([suffix, type]) => global(`${prefix}_${suffix}`, [type, type], type, run));

export function arithmeticFunctions(): FunctionDecl[] {
  const ints = [
    ["int64", INT],
    ["uint64", UINT],
  ] as const;
  const numbers = [["double", DOUBLE], ...ints] as const;
  const anyList = listOf(param("A"));
  return [
    {
      name: "_+_",
      overloads: [
        ...same("add", [["bytes", BYTES], ["string", STRING], ["list", anyList], ...numbers], add),
        global("add_duration_duration", [DURATION, DURATION], DURATION, add),
        global("add_duration_timestamp", [DURATION, TIMESTAMP], TIMESTAMP, add),
        global("add_timestamp_duration", [TIMESTAMP, DURATION], TIMESTAMP, add),
      ],
    },
    {
      name: "_-_",
      overloads: [
        ...same("subtract", numbers, subtract),
        global("subtract_duration_duration", [DURATION, DURATION], DURATION, subtract),
        global("subtract_timestamp_duration", [TIMESTAMP, DURATION], TIMESTAMP, subtract),
        global("subtract_timestamp_timestamp", [TIMESTAMP, TIMESTAMP], DURATION, subtract),
      ],
    },
    { name: "_*_", overloads: same("multiply", numbers, multiply) },
    { name: "_/_", overloads: same("divide", numbers, divide) },
    { name: "_%_", overloads: same("modulo", ints, modulo) },
    {
      name: "-_",
      overloads: [
        global("negate_double", [DOUBLE], DOUBLE, negate),
        global("negate_int64", [INT], INT, negate),
      ],
    },
  ];
}
