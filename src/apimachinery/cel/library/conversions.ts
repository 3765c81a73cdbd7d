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

/** The parsed value, or an error that it cannot be converted. */
function parsed<T extends Value>(value: Value, to: string, parse: (text: string) => T | undefined): T {
  const found = typeof value === "string" ? parse(value) : undefined;
  if (found === undefined) throw impossible(value, to);
  return found;
}

function toIntValue(value: Value): Value {
  if (typeof value === "bigint") return value;
  if (typeof value === "number") return fromDouble(value, toInt, "integer overflow");
  if (value instanceof Uint) return toInt(value.value);
  if (value instanceof Duration) return value.nanos;
  if (value instanceof Timestamp) return floorSeconds(value.nanos);
  return parsed(value, "int", (text) => {
    const whole = INT_TEXT.test(text) ? BigInt(text.replace(/^\+/, "")) : IN_INT;
    return whole < IN_INT && whole >= -IN_INT ? whole : undefined;
  });
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
  return parsed(value, "uint", (text) => {
    const whole = UINT_TEXT.test(text) ? BigInt(text) : IN_UINT;
    return whole < IN_UINT ? new Uint(whole) : undefined;
  });
}

function toDoubleValue(value: Value): Value {
  if (typeof value === "number") return value;
  if (typeof value === "bigint") return Number(value);
  return value instanceof Uint ? Number(value.value) : parsed(value, "double", parseGoFloat);
}

/** The text of a value as string() and the %s of format() return it. */
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

const toBytesValue = (value: Value): Value =>
  value instanceof Uint8Array ? value : parsed(value, "bytes", (text) => Buffer.from(text));

const toBoolValue = (value: Value): Value =>
  typeof value === "boolean" ? value : parsed(value, "bool", parseGoBool);

function toDurationValue(value: Value): Value {
  if (value instanceof Duration) return value;
  if (typeof value === "bigint") return toDuration(value);
  const nanos = parsed(value, "google.protobuf.Duration", parseGoDuration);
  return new Duration(nanos);
}

function toTimestampValue(value: Value): Value {
  if (value instanceof Timestamp) return value;
  if (typeof value === "bigint") return toTimestamp(value * NANOS);
  return toTimestamp(parsed(value, "google.protobuf.Timestamp", parseRfc3339));
}

/** A text in bytes may be four times as long; bytes as text are at most as long as before. */
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
