// What pods ask for and what nodes have, in whole numbers: thousandths of a processor, and units of all else.
import type { Amounts } from "../../quota/amounts.ts";

export type Counts = ReadonlyMap<string, number>;

const CPU = "cpu";
const THOUSANDTH = 1_000_000n;
const UNIT = 1_000_000_000n;

/** Requests are rounded up. */
export const countsOf = (amounts: Amounts): Counts =>
  new Map(
    [...amounts].map(([name, { nanos }]) => {
      const size = name === CPU ? THOUSANDTH : UNIT;
      return [name, Number((nanos + size - 1n) / size)];
    }),
  );

export const addCount = (to: Map<string, number>, name: string, count: number): unknown =>
  to.set(name, (to.get(name) ?? 0) + count);
