// Numbers and times in query parameters, parsed as in Go.
import { parseGoTime, TIME_LAYOUT } from "../go/time.ts";
import { badRequest } from "./status.ts";

const INT64_DIGITS_MAX = 19;

export interface Query {
  has(key: string): boolean;
  get(key: string): string;
  all(key: string): readonly string[];
  /** Converts a boolean as the API does: absent is false, "false" and "0" are false, any other text is true. */
  flag(key: string): boolean;
}

/** An int64 parameter; undefined if the key is absent. An empty value is invalid. Throws 400. */
export function readInteger(query: Query, key: string): number | undefined {
  if (!query.has(key)) return undefined;
  const text = query.get(key);
  if (!/^[+-]?\d+$/.test(text))
    throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(text)}: invalid syntax`);
  const [, sign = "", digits = "0"] = /^([+-]?)0*(\d*)$/.exec(text) ?? [];
  // Longer digits are not converted: that takes quadratic time.
  const value = digits.length > INT64_DIGITS_MAX ? undefined : BigInt(`${sign}${digits || "0"}`);
  if (value === undefined || value >= 2n ** 63n || value < -(2n ** 63n)) {
    throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(text)}: value out of range`);
  }
  return Number(value);
}

/** Whether a time is given; an empty value or null is none. Throws 400. */
export function hasTime(query: Query, key: string): boolean {
  const text = query.has(key) ? query.get(key) : "";
  if (text === "" || text === "null") return query.has(key);
  const time = parseGoTime(text, TIME_LAYOUT);
  if (!time.ok) throw badRequest(time.error);
  return true;
}
