// Quantities by resource name: requested, used, or available.
import {
  type Amount,
  addAmounts,
  amountOf,
  MILLIS,
  NANOS,
  NOTHING,
  showQuantity,
} from "../../apimachinery/go/quantity.ts";
import type { JsonObject } from "../../apimachinery/json/json.ts";

export type Amounts = ReadonlyMap<string, Amount>;

export const readAmounts = (source: Readonly<JsonObject> | undefined): Amounts =>
  new Map(Object.entries(source ?? {}).map(([name, value]) => [name, amountOf(value)]));

/** Sorted by name. */
export const writeAmounts = (amounts: Amounts): Record<string, string> =>
  Object.fromEntries(sortedByName(amounts).map(([name, amount]) => [name, showQuantity(amount)]));

const CPU = "cpu";

/** Rounded up to whole units: millicores of CPU, units of every other resource. */
export const wholeUnits = (name: string, { nanos }: Amount): bigint => {
  const unit = name === CPU ? MILLIS : NANOS;
  return (nanos + unit - 1n) / unit;
};

/** "cpu=1,memory=1Gi" */
export const showAmounts = (amounts: Amounts): string =>
  sortedByName(amounts)
    .map(([name, amount]) => `${name}=${showQuantity(amount)}`)
    .join(",");

const sortedByName = (amounts: Amounts): [string, Amount][] =>
  [...amounts].sort(([a], [b]) => (a < b ? -1 : 1));

export function sumOf(all: Iterable<Amounts>): Map<string, Amount> {
  const sum = new Map<string, Amount>();
  for (const amounts of all)
    for (const [name, amount] of amounts) sum.set(name, addAmounts(sum.get(name) ?? NOTHING, amount));
  return sum;
}

/** The maximum of both for each name. */
export function greatestOf(a: Amounts, b: Amounts): Map<string, Amount> {
  const greatest = new Map(a);
  for (const [name, amount] of b) {
    const other = greatest.get(name);
    if (other === undefined || amount.nanos > other.nanos) greatest.set(name, amount);
  }
  return greatest;
}

/** Increase from `before` to `now`, at least zero. */
export const increaseOf = (now: Amounts, before: Amounts): Amounts =>
  new Map(
    [...now].map(([name, { nanos, style }]) => {
      const more = nanos - (before.get(name)?.nanos ?? 0n);
      return [name, { nanos: more > 0n ? more : 0n, style }];
    }),
  );

export const onlyNamed = (amounts: Amounts, names: Iterable<string>): Amounts => {
  const wanted = new Set(names);
  return new Map([...amounts].filter(([name]) => wanted.has(name)));
};

export const withoutZeros = (amounts: Amounts): Amounts =>
  new Map([...amounts].filter(([, { nanos }]) => nanos !== 0n));

export const isSame = (a: Amounts, b: Amounts): boolean =>
  a.size === b.size && [...a].every(([name, { nanos }]) => b.get(name)?.nanos === nanos);
