// quantity(): amounts with SI and binary suffixes ("1.5Gi", "200m", "1e3"), exact to a billionth.
import { NANOS, parseQuantity, QUANTITY_FORMAT_ERROR, type Quantity } from "../../../go/quantity.ts";
import { type FunctionDecl, global, member } from "../../language/overload.ts";
import { BOOL, type CelType, DOUBLE, INT, STRING, struct } from "../../language/types.ts";
import { CelError } from "../../values/cel-error.ts";
import type { OpaqueValue, Value } from "../../values/value.ts";
import { instanceAt, intAt, Opaque, textAt } from "../args.ts";

const QUANTITY = struct("kubernetes.Quantity");
const INT_MAX = 2n ** 63n - 1n;
/** Longer texts are no quantities: what a call may cost does not count their digits. */
const LENGTH_MAX = 1024;

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
    const value = this.nanos / NANOS;
    return value > INT_MAX || value < -INT_MAX - 1n ? undefined : value;
  }
}

const parse = (text: string): Quantity | string =>
  text.length > LENGTH_MAX ? QUANTITY_FORMAT_ERROR : parseQuantity(text);

function toQuantity(args: readonly Value[]): QuantityValue {
  const found = parse(textAt(args, 0));
  if (typeof found === "string") throw new CelError(found);
  return new QuantityValue(found.nanos, found.scale);
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

const ofInt = (value: bigint): QuantityValue => new QuantityValue(value * NANOS, 0);

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
  const isQuantity = (args: readonly Value[]): Value => typeof parse(textAt(args, 0)) !== "string";
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
