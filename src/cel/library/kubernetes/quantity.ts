// quantity(): amounts with SI and binary suffixes ("1.5Gi", "200m", "1e3"), exact to a billionth.
import { type FunctionDecl, global, member } from "../../language/overload.ts";
import { BOOL, type CelType, DOUBLE, INT, STRING, struct } from "../../language/types.ts";
import { CelError } from "../../values/cel-error.ts";
import type { OpaqueValue, Value } from "../../values/value.ts";
import { instanceAt, intAt, Opaque, textAt } from "../args.ts";

const QUANTITY = struct("kubernetes.Quantity");
const SHAPE = /^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$/;
const WRONG_SHAPE =
  "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
const WRONG_NUMBER = "unable to parse numeric part of quantity";
const WRONG_SUFFIX = "unable to parse quantity's suffix";
const NANO_DIGITS = 9;
const INT_MAX = 2n ** 63n - 1n;
/** Digits that always fit an int64. */
const SAFE_DIGITS = 18;
const LENGTH_MAX = 1024;

const DECIMAL = new Map([
  ["n", -9],
  ["u", -6],
  ["m", -3],
  ["", 0],
  ["k", 3],
  ["M", 6],
  ["G", 9],
  ["T", 12],
  ["P", 15],
  ["E", 18],
]);
const BINARY = new Map([
  ["Ki", 10],
  ["Mi", 20],
  ["Gi", 30],
  ["Ti", 40],
  ["Pi", 50],
  ["Ei", 60],
]);

class QuantityValue extends Opaque {
  readonly celType: CelType = QUANTITY;
  readonly nanos: bigint;
  /** The power of ten of the last digit that is kept; undefined where the amount outgrew the fast form. */
  readonly scale: number | undefined;
  constructor(nanos: bigint, scale: number | undefined) {
    super();
    this.nanos = nanos;
    this.scale = scale;
  }
  equals(other: OpaqueValue): boolean {
    return other instanceof QuantityValue && this.nanos === other.nanos;
  }
  /** The whole number that this is; undefined if it is none, or none that is held as one. */
  get whole(): bigint | undefined {
    if (this.scale === undefined || this.scale < 0) return undefined;
    const value = this.nanos / 10n ** BigInt(NANO_DIGITS);
    return value > INT_MAX || value < -INT_MAX - 1n ? undefined : value;
  }
}

/** The quantity, or what is wrong with the text. */
function parseQuantity(text: string): QuantityValue | string {
  const match = text.length > LENGTH_MAX ? null : SHAPE.exec(text);
  if (text === "" || !match) return WRONG_SHAPE;
  const number = /^([+-]?)(\d*)(?:\.(\d*))?$/.exec(match[1] ?? "");
  if (!number) return WRONG_NUMBER;
  const [, sign = "", whole = "", fraction = ""] = number;
  if (whole === "" && fraction === "") return WRONG_NUMBER;
  const scaled = readSuffix(match[2] ?? "");
  if (!scaled) return WRONG_SUFFIX;
  const digits = BigInt(whole + fraction || "0");
  const shown = whole.replace(/^0+/, "").length + fraction.length;
  const nanos = scaleUp(digits, scaled, fraction.length);
  const capped = nanos > INT_MAX * 10n ** 9n ? INT_MAX * 10n ** 9n : nanos;
  const scale = fastScale(scaled, shown, fraction.length);
  return new QuantityValue(sign === "-" ? -capped : capped, scale);
}

interface Suffix {
  readonly base: 2 | 10;
  readonly exponent: number;
}

function readSuffix(suffix: string): Suffix | undefined {
  const decimal = DECIMAL.get(suffix);
  if (decimal !== undefined) return { base: 10, exponent: decimal };
  const binary = BINARY.get(suffix);
  if (binary !== undefined) return { base: 2, exponent: binary };
  const exponent = /^[eE]([+-]?\d+)$/.exec(suffix)?.[1];
  if (exponent === undefined || Number(exponent) > 2 ** 31 - 1 || Number(exponent) < -(2 ** 31))
    return undefined;
  return { base: 10, exponent: Number(exponent) };
}

/** In billionths, rounded up where there are smaller parts. */
function scaleUp(digits: bigint, { base, exponent }: Suffix, fractionDigits: number): bigint {
  if (digits === 0n) return 0n;
  const up = NANO_DIGITS - fractionDigits + (base === 10 ? exponent : 0);
  const value = base === 2 ? digits << BigInt(exponent) : digits;
  if (up >= 0) return value * 10n ** BigInt(Math.min(up, LENGTH_MAX));
  const divisor = 10n ** BigInt(Math.min(-up, 2 * LENGTH_MAX));
  return (value + divisor - 1n) / divisor;
}

function fastScale({ base, exponent }: Suffix, digits: number, fractionDigits: number): number | undefined {
  if (base === 2) {
    const room = 15 - digits - Math.floor((exponent * 3) / 10) - 1;
    return fractionDigits === 0 && room >= 0 ? 0 : undefined;
  }
  const scale = exponent - fractionDigits;
  return digits <= SAFE_DIGITS && scale >= -NANO_DIGITS ? scale : undefined;
}

function toQuantity(args: readonly Value[]): QuantityValue {
  const found = parseQuantity(textAt(args, 0));
  if (typeof found === "string") throw new CelError(found);
  return found;
}

const quantityAt = (args: readonly Value[], index: number): QuantityValue =>
  instanceAt(args, index, QuantityValue);

function sum(a: QuantityValue, b: QuantityValue, sign: bigint): QuantityValue {
  const nanos = a.nanos + sign * b.nanos;
  if (a.scale === undefined || b.scale === undefined) return new QuantityValue(nanos, undefined);
  return new QuantityValue(
    nanos,
    a.nanos === 0n ? b.scale : b.nanos === 0n ? a.scale : Math.min(a.scale, b.scale),
  );
}

const ofInt = (value: bigint): QuantityValue => new QuantityValue(value * 10n ** BigInt(NANO_DIGITS), 0);

const order = (args: readonly Value[]): bigint => {
  const a = quantityAt(args, 0).nanos;
  const b = quantityAt(args, 1).nanos;
  return a < b ? -1n : a > b ? 1n : 0n;
};

function calculation(name: string, sign: bigint): FunctionDecl {
  return {
    name,
    overloads: [
      member(`quantity_${name}`, [QUANTITY, QUANTITY], QUANTITY, (args) =>
        sum(quantityAt(args, 0), quantityAt(args, 1), sign),
      ),
      member(`quantity_${name}_int`, [QUANTITY, INT], QUANTITY, (args) =>
        sum(quantityAt(args, 0), ofInt(intAt(args, 1)), sign),
      ),
    ],
  };
}

function asInteger(args: readonly Value[]): Value {
  const { whole } = quantityAt(args, 0);
  if (whole === undefined) throw new CelError("cannot convert value to integer");
  return whole;
}

export function quantityFunctions(): FunctionDecl[] {
  const isQuantity = (args: readonly Value[]): Value => typeof parseQuantity(textAt(args, 0)) !== "string";
  const sign = (args: readonly Value[]): Value => order([quantityAt(args, 0), ofInt(0n)]);
  const asFloat = (args: readonly Value[]): Value => Number(quantityAt(args, 0).nanos) / 1e9;
  const pair = [QUANTITY, QUANTITY];
  return [
    { name: "quantity", overloads: [global("string_to_quantity", [STRING], QUANTITY, toQuantity)] },
    { name: "isQuantity", overloads: [global("is_quantity_string", [STRING], BOOL, isQuantity)] },
    { name: "sign", overloads: [global("quantity_sign", [QUANTITY], INT, sign)] },
    {
      name: "isGreaterThan",
      overloads: [member("quantity_is_greater_than", pair, BOOL, (args) => order(args) > 0n)],
    },
    {
      name: "isLessThan",
      overloads: [member("quantity_is_less_than", pair, BOOL, (args) => order(args) < 0n)],
    },
    { name: "compareTo", overloads: [member("quantity_compare_to", pair, INT, order)] },
    { name: "asApproximateFloat", overloads: [member("quantity_get_float", [QUANTITY], DOUBLE, asFloat)] },
    { name: "asInteger", overloads: [member("quantity_get_int", [QUANTITY], INT, asInteger)] },
    {
      name: "isInteger",
      overloads: [
        member("quantity_is_integer", [QUANTITY], BOOL, (args) => quantityAt(args, 0).whole !== undefined),
      ],
    },
    calculation("add", 1n),
    calculation("sub", -1n),
  ];
}
