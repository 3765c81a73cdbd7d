// The amount that a quantity stands for, for sums and comparisons.

import { lookupTable } from "../meta/lookup-table.ts";

const QUANTITY = /^([+-]?)(\d*)(?:\.(\d*))?(Ki|Mi|Gi|Ti|Pi|Ei|n|u|m|k|M|G|T|P|E|[eE][+-]?\d{1,3})?$/;
const BINARY = ["", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];
const DECIMAL: Readonly<Record<string, number>> = lookupTable({
  n: -9,
  u: -6,
  m: -3,
  k: 3,
  M: 6,
  G: 9,
  T: 12,
  P: 15,
  E: 18,
});
const NANO = 9;

/** In billionths, rounded up; 0 for what is no quantity. */
export function quantityNanos(value: unknown): bigint {
  const match = QUANTITY.exec(String(value));
  if (match === null) return 0n;
  const [, sign, whole = "", fraction = "", suffix = ""] = match;
  const power = Math.max(BINARY.indexOf(suffix), 0);
  const exponent = power > 0 || suffix === "" ? 0 : (DECIMAL[suffix] ?? Number(suffix.slice(1)));
  const digits = BigInt(whole + fraction || "0") * 1024n ** BigInt(power);
  const scale = NANO + exponent - fraction.length;
  const nanos = scale >= 0 ? digits * 10n ** BigInt(scale) : ceilDivide(digits, 10n ** BigInt(-scale));
  return sign === "-" ? -nanos : nanos;
}

const ceilDivide = (value: bigint, divisor: bigint): bigint => (value + divisor - 1n) / divisor;

export const isWholeQuantity = (value: unknown): boolean => quantityNanos(value) % 10n ** BigInt(NANO) === 0n;
