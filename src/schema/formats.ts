// The string formats that a real server checks in custom resources (v1.36), by name. A dash in a name does not count.
// What is not here is not checked. int32, int64, float and double are checked with the numbers.

import { isDurationShaped, parseGoDuration } from "../go/duration.ts";
import { quantityError } from "../go/quantity.ts";
import { isGoDate } from "../go/time.ts";
import { requestUriProblem } from "../go/url.ts";
import { isDns1123Subdomain } from "../meta/names.ts";
import { isCidr, isEmail, isHostname, isIpv4, isIpv6, isMac, isShortName } from "./format-names.ts";

export type FormatCheck = (text: string) => boolean;

const matches =
  (pattern: RegExp): FormatCheck =>
  (text) =>
    pattern.test(text);

const CHANNEL = "(?:0|[1-9]\\d?|1\\d\\d?|2[0-4]\\d|25[0-5])";
const RGB = new RegExp(`^rgb\\(\\s*${CHANNEL}\\s*,\\s*${CHANNEL}\\s*,\\s*${CHANNEL}\\s*\\)$`);

const CHECKS: ReadonlyMap<string, FormatCheck> = new Map<string, FormatCheck>([
  ["bsonobjectid", matches(/^[0-9a-f]{24}$/i)],
  ["uri", (text) => requestUriProblem(text) === undefined],
  ["email", isEmail],
  ["hostname", isHostname],
  ["ipv4", isIpv4],
  ["ipv6", isIpv6],
  ["cidr", isCidr],
  ["mac", isMac],
  ["uuid", matches(/^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i)],
  ["uuid3", matches(/^[0-9a-f]{8}-?[0-9a-f]{4}-?3[0-9a-f]{3}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i)],
  ["uuid4", matches(/^[0-9a-f]{8}-?[0-9a-f]{4}-?4[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$/i)],
  ["uuid5", matches(/^[0-9a-f]{8}-?[0-9a-f]{4}-?5[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$/i)],
  ["isbn", (text) => isIsbn10(text) || isIsbn13(text)],
  ["isbn10", isIsbn10],
  ["isbn13", isIsbn13],
  ["creditcard", isCreditCard],
  ["ssn", matches(/^\d{3}[- ]\d{2}[- ]\d{4}$/)],
  ["hexcolor", matches(/^#?(?:[0-9a-fA-F]{3}|[0-9a-fA-F]{6})$/)],
  ["rgbcolor", matches(RGB)],
  ["byte", matches(/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})$/)],
  ["password", () => true],
  ["date", isGoDate],
  ["duration", isDuration],
  ["datetime", isDateTime],
  ["quantity", (text) => quantityError(text) === undefined],
  ["k8sshortname", isShortName],
  ["k8slongname", (text) => isDns1123Subdomain(text).length === 0],
]);

/** The check behind a format's name; undefined: the format is not checked. */
export const formatCheck = (format: string): FormatCheck | undefined =>
  CHECKS.get(format.replaceAll("-", ""));

const ISBN10 = /^(?:[0-9]{9}X|[0-9]{10})$/;
const ISBN13 = /^(?:[0-9]{13})$/;
const CREDIT_CARD =
  /^(?:4[0-9]{12}(?:[0-9]{3})?|5[1-5][0-9]{14}|(222[1-9]|22[3-9][0-9]|2[3-6][0-9]{2}|27[01][0-9]|2720)[0-9]{12}|6(?:011|5[0-9][0-9])[0-9]{12}|3[47][0-9]{13}|3(?:0[0-5]|[68][0-9])[0-9]{11}|(?:2131|1800|35\d{3})\d{11}|6[27][0-9]{14})$/;

const withoutSeparators = (text: string): string => text.replace(/[\s-]+/g, "");

function isIsbn10(text: string): boolean {
  const digits = withoutSeparators(text);
  if (!ISBN10.test(digits)) return false;
  let sum = 0;
  for (const [index, digit] of [...digits].entries())
    sum += (index + 1) * (digit === "X" ? 10 : Number(digit));
  return sum % 11 === 0;
}

function isIsbn13(text: string): boolean {
  const digits = withoutSeparators(text);
  if (!ISBN13.test(digits)) return false;
  let sum = 0;
  for (const [index, digit] of [...digits].entries()) sum += (index % 2 === 0 ? 1 : 3) * Number(digit);
  return sum % 10 === 0;
}

/** A card number, whatever stands between its digits, with its check digit. */
function isCreditCard(text: string): boolean {
  const digits = text.replace(/[^0-9]+/g, "");
  if (!CREDIT_CARD.test(digits)) return false;
  let sum = 0;
  for (const [index, digit] of [...digits].reverse().entries()) {
    const value = index % 2 === 0 ? Number(digit) : Number(digit) * 2;
    sum += value > 9 ? value - 9 : value;
  }
  return sum % 10 === 0;
}

const CLOCK = /^(\d\d):(\d\d):(\d\d)(.[0-9]+)?(z|[+-]\d\d:\d\d)$/;

/** A date, "T" and a time with a zone, in either case; leap seconds are not known. */
function isDateTime(text: string): boolean {
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
function isDuration(text: string): boolean {
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
