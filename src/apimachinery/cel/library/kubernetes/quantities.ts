// quantity(): amounts with SI and binary suffixes ("1.5Gi", "200m", "1e3"), exact to a billionth.
import { NANOS, parseQuantity, QUANTITY_FORMAT_ERROR, type Quantity } from "../../../go/quantity.ts";
import { struct } from "../../language/types.ts";
import { CelError, LibraryType, type LibraryValue, type Value } from "../../values/value.ts";
import { declareWith, type FunctionDecl } from "../declare.ts";
import { scan } from "../price.ts";

const INT_MAX = 2n ** 63n - 1n;
/** Longer texts are no quantities, because the cost of a call does not depend on their length. */
const LENGTH_MAX = 1024;

interface Amount {
  readonly nanos: bigint;
  /** The power of ten of the last digit; undefined if the amount exceeds an int64. */
  readonly scale: number | undefined;
}
type QuantityValue = LibraryValue<Amount>;

const QUANTITY = new LibraryType<Amount>(struct("kubernetes.Quantity"), (a, b) => a.nanos === b.nanos);
const declare = declareWith({ Quantity: QUANTITY.type });

/** The amount as a whole number; undefined if it is none, or exceeds an int64. */
function wholeOf({ content: { nanos, scale } }: QuantityValue): bigint | undefined {
  if (scale === undefined || scale < 0) return undefined;
  const value = nanos / NANOS;
  return value > INT_MAX || value < -INT_MAX - 1n ? undefined : value;
}

const parse = (text: string): Quantity | string =>
  text.length > LENGTH_MAX ? QUANTITY_FORMAT_ERROR : parseQuantity(text);

function toQuantity(text: string): Value {
  const found = parse(text);
  if (typeof found === "string") throw new CelError(found);
  return QUANTITY.of(found);
}

const sum =
  (sign: bigint) =>
  ({ content: a }: QuantityValue, other: QuantityValue | bigint): Value => {
    const b = typeof other === "bigint" ? { nanos: other * NANOS, scale: 0 } : other.content;
    const nanos = a.nanos + sign * b.nanos;
    if (a.scale === undefined || b.scale === undefined) return QUANTITY.of({ nanos, scale: undefined });
    if (a.nanos === 0n) return QUANTITY.of({ nanos, scale: b.scale });
    return QUANTITY.of({ nanos, scale: b.nanos === 0n ? a.scale : Math.min(a.scale, b.scale) });
  };

const signOf = (nanos: bigint): bigint => (nanos < 0n ? -1n : nanos > 0n ? 1n : 0n);
const order = (a: QuantityValue, b: QuantityValue): bigint => signOf(a.content.nanos - b.content.nanos);

function asInteger(quantity: QuantityValue): Value {
  const whole = wholeOf(quantity);
  if (whole === undefined) throw new CelError("cannot convert value to integer");
  return whole;
}

export const quantityFunctions = (): FunctionDecl[] => [
  declare("quantity(string) -> Quantity", toQuantity, scan),
  declare("isQuantity(string) -> bool", (text: string) => typeof parse(text) !== "string", scan),
  declare("sign(Quantity) -> int", ({ content }: QuantityValue) => signOf(content.nanos)),
  declare(
    "Quantity.isGreaterThan(Quantity) -> bool",
    (a: QuantityValue, b: QuantityValue) => order(a, b) > 0n,
  ),
  declare("Quantity.isLessThan(Quantity) -> bool", (a: QuantityValue, b: QuantityValue) => order(a, b) < 0n),
  declare("Quantity.compareTo(Quantity) -> int", order),
  declare(
    "Quantity.asApproximateFloat() -> double",
    ({ content }: QuantityValue) => Number(content.nanos) / 1e9,
  ),
  declare("Quantity.asInteger() -> int", asInteger),
  declare("Quantity.isInteger() -> bool", (quantity: QuantityValue) => wholeOf(quantity) !== undefined),
  declare("Quantity.add(Quantity) -> Quantity", sum(1n)),
  declare("Quantity.add(int) -> Quantity", sum(1n)),
  declare("Quantity.sub(Quantity) -> Quantity", sum(-1n)),
  declare("Quantity.sub(int) -> Quantity", sum(-1n)),
];
