// int(), uint(), double(), string(), bytes(), bool(), duration(), timestamp().
import { formatSeconds, parseGoDuration } from "../../go/duration.ts";
import { goShortest, parseGoBool, parseGoFloat } from "../../go/strconv.ts";
import { formatRfc3339, parseRfc3339 } from "../../go/time.ts";
import { typeOfValue } from "../values/inspect.ts";
import { CelError, Duration, Timestamp, Uint, type Value } from "../values/value.ts";
import { toDuration, toInt, toTimestamp, toUint } from "./arithmetic.ts";
import { type Declare, declare, declareOpen, type FunctionDecl } from "./declare.ts";
import {
  costToTraverse,
  type Price,
  scan,
  sizeAt,
  transform,
  traverse,
  UNIT,
  UNKNOWN_SIZE,
} from "./price.ts";

const NANOS = 1_000_000_000n;
const INT_TEXT = /^[+-]?\d+$/;
const UINT_TEXT = /^\d+$/;
const IN_INT = 2n ** 63n;
const IN_UINT = 2n ** 64n;
const decoder = new TextDecoder("utf-8", { fatal: true });

const impossible = (value: Value, to: string): CelError =>
  new CelError(`type conversion error from '${typeOfValue(value).name}' to '${to}'`);

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
  throw impossible(value, "int");
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
  throw impossible(value, "uint");
}

function toDoubleValue(value: Value): Value {
  if (typeof value === "number") return value;
  if (typeof value === "bigint") return Number(value);
  if (value instanceof Uint) return Number(value.value);
  const parsed = typeof value === "string" ? parseGoFloat(value) : undefined;
  if (parsed === undefined) throw impossible(value, "double");
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
  throw impossible(value, "string");
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
  throw impossible(value, "bytes");
}

function toBoolValue(value: Value): Value {
  if (typeof value === "boolean") return value;
  const parsed = typeof value === "string" ? parseGoBool(value) : undefined;
  if (parsed === undefined) throw impossible(value, "bool");
  return parsed;
}

function toDurationValue(value: Value): Value {
  if (value instanceof Duration) return value;
  if (typeof value === "bigint") return toDuration(value);
  const parsed = typeof value === "string" ? parseGoDuration(value) : undefined;
  if (parsed === undefined) throw impossible(value, "google.protobuf.Duration");
  return new Duration(parsed);
}

function toTimestampValue(value: Value): Value {
  if (value instanceof Timestamp) return value;
  if (typeof value === "bigint") return toTimestamp(value * NANOS);
  const parsed = typeof value === "string" ? parseRfc3339(value) : undefined;
  if (parsed === undefined) throw impossible(value, "google.protobuf.Timestamp");
  return toTimestamp(parsed);
}

/** A text in bytes may take four times its length; bytes in a text take as much as before. */
const toBytesPrice: Price = {
  ...scan,
  estimate: (operands, { args: [from] }) => {
    if (from?.kind !== "string") return { cost: 1 };
    const { min, max } = sizeAt(operands, 0);
    const size = { min, max: Math.min(max * 4, UNKNOWN_SIZE.max) };
    return { cost: costToTraverse({ min, max }), size };
  },
};
const toStringPrice: Price = {
  cost: ([value]) => (value instanceof Uint8Array ? traverse(value) : 1),
  estimate: (operands, overload) =>
    (overload.args[0]?.kind === "bytes" && transform.estimate?.(operands, overload)) || { cost: 1 },
};

type Row = readonly [
  to: string,
  from: string,
  convert: (value: Value) => Value,
  declaring?: Declare,
  price?: Price,
];

const CONVERSIONS: readonly Row[] = [
  ["int", "int double duration string timestamp uint", toIntValue],
  ["uint", "uint double int string", toUintValue],
  ["double", "double int string uint", toDoubleValue],
  ["string", "string bool bytes double duration int timestamp uint", toStringValue, declare, toStringPrice],
  ["bytes", "bytes string", toBytesValue, declareOpen, toBytesPrice],
  ["bool", "bool string", toBoolValue],
  ["duration", "duration int string", toDurationValue],
  ["timestamp", "timestamp int string", toTimestampValue],
];

export const conversionFunctions = (): FunctionDecl[] =>
  CONVERSIONS.flatMap(([to, from, convert, declaring = declareOpen, price = UNIT]) =>
    from.split(" ").map((type) => declaring(`${to}(${type}) -> ${to}`, convert, price)),
  );
