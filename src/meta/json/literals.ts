// What single letters and numbers of a JSON text mean, and how complaints show them.
import { goQuote } from "../../go/quote.ts";
import { lookupTable } from "../lookup-table.ts";

export const ESCAPES: Readonly<Record<string, string>> = lookupTable({
  '"': '"',
  "\\": "\\",
  "/": "/",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
});

const INT64_MAX = 2n ** 63n - 1n;
const INT64_MIN = -(2n ** 63n);

/** Sixteen digits and more: a number while exact, a bigint within int64, else the nearest double. */
export function bigNumber(literal: string): number | bigint {
  const near = Number(literal);
  if (Number.isSafeInteger(near)) return near;
  const exact = BigInt(literal);
  return exact <= INT64_MAX && exact >= INT64_MIN ? exact : near;
}

const QUOTE = 0x22;
const APOSTROPHE = 0x27;

/** A byte as Go's complaints about it show it. */
export function quoteByte(code: number): string {
  if (code === QUOTE) return `'"'`;
  if (code === APOSTROPHE) return "'\\''";
  return `'${goQuote(String.fromCharCode(code)).slice(1, -1)}'`;
}
