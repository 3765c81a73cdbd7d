// date-time and duration as format checks take them.

import { isDurationShaped, parseGoDuration } from "../../go/duration.ts";
import { isGoDate } from "../../go/time.ts";

const CLOCK = /^(\d\d):(\d\d):(\d\d)(.[0-9]+)?(z|[+-]\d\d:\d\d)$/;

/** A date, "T" and a time with a zone, in either case; leap seconds are not known. */
export function isDateTime(text: string): boolean {
  const [date, clock] = text.toLowerCase().split("t");
  if (date === undefined || clock === undefined || !isGoDate(date)) return false;
  const parts = CLOCK.exec(clock);
  if (parts === null) return false;
  return (parts[1] ?? "") <= "23" && (parts[2] ?? "") <= "59" && (parts[3] ?? "") <= "59";
}

const WORDS = /^\s*(?:\d+\s*[A-Za-zµ]+\s*)+$/;
const WORD = /(\d+)\s*([A-Za-zµ]+)/g;
const UNITS = ["ns", "us", "µs", "ms", "s", "m", "h", "hr", "d", "w", "wk"];
/** The last spelling of each unit may go on: "seconds", "minutes". */
const PREFIXES = ["nano", "micro", "milli", "sec", "min", "hour", "day", "week"];

/** What Go calls a duration ("1h30m"), or numbers with the names of units ("5 days"), of which one is known. */
export function isDuration(text: string): boolean {
  if (isDurationShaped(text)) return parseGoDuration(text) !== undefined;
  if (!WORDS.test(text)) return false;
  let isKnown = false;
  for (const [, digits = "", word = ""] of text.matchAll(WORD)) {
    if (BigInt(digits) > INT64_MAX) return false;
    isKnown ||= isUnit(word.toLowerCase());
  }
  return isKnown;
}

const isUnit = (word: string): boolean =>
  UNITS.includes(word) || PREFIXES.some((prefix) => word.startsWith(prefix));

const INT64_MAX = 2n ** 63n - 1n;
