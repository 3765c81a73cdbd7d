// int(), uint(), double(), string(), bytes(), bool(), duration(), timestamp().
import { formatSeconds, parseGoDuration } from "../../go/duration.ts";
import { goShortest, parseGoBool, parseGoFloat } from "../../go/strconv.ts";
import { formatRfc3339, parseRfc3339 } from "../../go/time.ts";
import { type FunctionDecl, global } from "../language/overload.ts";
import {
  BOOL,
  BYTES,
  type CelType,
  DOUBLE,
  DURATION,
  formatType,
  INT,
  STRING,
  TIMESTAMP,
  UINT,
} from "../language/types.ts";
import { CelError } from "../values/cel-error.ts";
import { typeOfValue } from "../values/inspect.ts";
import { Duration, Timestamp, Uint, type Value } from "../values/value.ts";
import { valueAt } from "./args.ts";
import { toDuration, toInt, toTimestamp, toUint } from "./arithmetic.ts";

const NANOS = 1_000_000_000n;
const INT_TEXT = /^[+-]?\d+$/;
const UINT_TEXT = /^\d+$/;
const IN_INT = 2n ** 63n;
const IN_UINT = 2n ** 64n;
const decoder = new TextDecoder("utf-8", { fatal: true });

const impossible = (value: Value, to: CelType): CelError =>
  new CelError(`type conversion error from '${typeOfValue(value).name}' to '${to.name}'`);

function toIntValue(value: Value): Value {
  if (typeof value === "bigint") return value;
  if (typeof value === "number") return fromDouble(value, toInt, "integer overflow");
  if (value instanceof Uint) return toInt(value.value);
  if (value instanceof Duration) return value.nanos;
  if (value instanceof Timestamp) return floorSeconds(value.nanos);
  if (typeof value === "string" && INT_TEXT.test(value)) {
    const parsed = BigInt(value.replace(/^\+/, ""));
    if (parsed < IN_INT && parsed >= -IN_INT) return parsed;
  }
  throw impossible(value, INT);
}

const floorSeconds = (nanos: bigint): bigint => (nanos - (((nanos % NANOS) + NANOS) % NANOS)) / NANOS;

function fromDouble<T>(value: number, to: (whole: bigint) => T, message: string): T {
  if (!Number.isFinite(value)) throw new CelError(message);
  return to(BigInt(Math.trunc(value)));
}

function toUintValue(value: Value): Value {
  if (typeof value === "bigint") return toUint(value);
  if (typeof value === "number") return fromDouble(value, toUint, "unsigned integer overflow");
  if (value instanceof Uint) return value;
  if (typeof value === "string" && UINT_TEXT.test(value)) {
    const parsed = BigInt(value);
    if (parsed < IN_UINT) return new Uint(parsed);
  }
  throw impossible(value, UINT);
}

function toDoubleValue(value: Value): Value {
  if (typeof value === "number") return value;
  if (typeof value === "bigint") return Number(value);
  if (value instanceof Uint) return Number(value.value);
  const parsed = typeof value === "string" ? parseGoFloat(value) : undefined;
  if (parsed === undefined) throw impossible(value, DOUBLE);
  return parsed;
}

/** The text of a value as string() and the %s of format() give it. */
export function toStringValue(value: Value): string {
  if (typeof value === "string") return value;
  if (typeof value === "bigint" || typeof value === "boolean") return String(value);
  if (typeof value === "number") return goShortest(value);
  if (value instanceof Uint) return String(value.value);
  if (value instanceof Duration) return formatSeconds(value.nanos);
  if (value instanceof Timestamp) return formatRfc3339(value.nanos);
  if (value instanceof Uint8Array) return decode(value);
  throw impossible(value, STRING);
}

function decode(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes);
  } catch {
    throw new CelError("invalid UTF-8 in bytes, cannot convert to string");
  }
}

function toBytesValue(value: Value): Value {
  if (value instanceof Uint8Array) return value;
  if (typeof value === "string") return Buffer.from(value);
  throw impossible(value, BYTES);
}

function toBoolValue(value: Value): Value {
  if (typeof value === "boolean") return value;
  const parsed = typeof value === "string" ? parseGoBool(value) : undefined;
  if (parsed === undefined) throw impossible(value, BOOL);
  return parsed;
}

function toDurationValue(value: Value): Value {
  if (value instanceof Duration) return value;
  if (typeof value === "bigint") return toDuration(value);
  const parsed = typeof value === "string" ? parseGoDuration(value) : undefined;
  if (parsed === undefined) throw impossible(value, DURATION);
  return new Duration(parsed);
}

function toTimestampValue(value: Value): Value {
  if (value instanceof Timestamp) return value;
  if (typeof value === "bigint") return toTimestamp(value * NANOS);
  const parsed = typeof value === "string" ? parseRfc3339(value) : undefined;
  if (parsed === undefined) throw impossible(value, TIMESTAMP);
  return toTimestamp(parsed);
}

function conversion(
  name: string,
  to: CelType,
  from: readonly CelType[],
  convert: (value: Value) => Value,
): FunctionDecl {
  const run = (args: readonly Value[]): Value => convert(valueAt(args, 0));
  return {
    name,
    overloads: from.map((type) => global(`${formatType(type)}_to_${formatType(to)}`, [type], to, run)),
  };
}

export function conversionFunctions(): FunctionDecl[] {
  return [
    conversion("int", INT, [INT, DOUBLE, DURATION, STRING, TIMESTAMP, UINT], toIntValue),
    conversion("uint", UINT, [UINT, DOUBLE, INT, STRING], toUintValue),
    conversion("double", DOUBLE, [DOUBLE, INT, STRING, UINT], toDoubleValue),
    conversion(
      "string",
      STRING,
      [STRING, BOOL, BYTES, DOUBLE, DURATION, INT, TIMESTAMP, UINT],
      toStringValue,
    ),
    conversion("bytes", BYTES, [BYTES, STRING], toBytesValue),
    conversion("bool", BOOL, [BOOL, STRING], toBoolValue),
    conversion("duration", DURATION, [DURATION, INT, STRING], toDurationValue),
    conversion("timestamp", TIMESTAMP, [TIMESTAMP, INT, STRING], toTimestampValue),
  ];
}
