// String formats that upstream validates in custom resources (v1.36), by name. Dashes in names are ignored. Other formats
// are not validated. int32, int64, float and double are validated with the numbers.
import { isDurationShaped, parseGoDuration } from "../go/duration.ts";
import { quantityError } from "../go/quantity.ts";
import { isGoDate } from "../go/time.ts";
import { requestUriProblem } from "../go/url.ts";
import { isIpv6Text } from "../meta/ip.ts";
import { lazy } from "../meta/memoize.ts";
import { isDns1123Label, isDns1123Subdomain } from "../meta/names.ts";

export type FormatCheck = (text: string) => boolean;

const matches =
  (pattern: RegExp): FormatCheck =>
  (text) =>
    pattern.test(text);

const CHANNEL = "(?:0|[1-9]\\d?|1\\d\\d?|2[0-4]\\d|25[0-5])";
const RGB = new RegExp(`^rgb\\(\\s*${CHANNEL}\\s*,\\s*${CHANNEL}\\s*,\\s*${CHANNEL}\\s*\\)$`);

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

/** A credit card number with a valid check digit; other characters between its digits are ignored. */
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

/** A date, "T" in either case, and a time with a zone; leap seconds are not supported. */
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
/** The last spelling of each unit may have a suffix: "seconds", "minutes". */
const PREFIXES = ["nano", "micro", "milli", "sec", "min", "hour", "day", "week"];

/** A Go duration ("1h30m"), or numbers with unit names ("5 days"), at least one of them known. */
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

const LETTER = "[a-zA-Z0-9\\p{S}\\p{L}]";
/** Compiled on first use: Unicode classes are slow to compile. */
const hostLabels = lazy(() => ({
  only: new RegExp(`^${LETTER}(?:-?${LETTER}{0,62})?$`, "u"),
  dotted: new RegExp(`^${LETTER}(?:(?:${LETTER}|-){0,61}${LETTER})?$`, "u"),
  last: new RegExp(`^${LETTER}(?:-?${LETTER}){1,62}$`, "u"),
}));
const HOSTNAME_MAX = 255;
const LABEL_MAX = 63;

/** A single label may have one dash, after its first letter; the last of several labels has at least two letters. */
function isHostname(text: string): boolean {
  if (Buffer.byteLength(text) > HOSTNAME_MAX) return false;
  const labels = text.split(".");
  if (labels.some((label) => Buffer.byteLength(label) > LABEL_MAX)) return false;
  const last = labels.pop() ?? "";
  const patterns = hostLabels();
  if (labels.length === 0) return patterns.only.test(last);
  return patterns.last.test(last) && labels.every((label) => patterns.dotted.test(label));
}

const ATOM = '[^\\x00-\\x20()<>\\[\\]:;@\\\\,."\\x7f]+';
const DOT_ATOM = `${ATOM}(?:\\.${ATOM})*`;
const QUOTED = '"(?:[^"\\\\\\x00-\\x1f\\x7f]|\\\\[^\\x00-\\x1f\\x7f])*"';
const DOMAIN = `(?:${DOT_ATOM}|\\[[^\\[\\]\\\\\\x00-\\x20\\x7f]*\\])`;
const MAILBOX = `(?:${DOT_ATOM}|${QUOTED})@${DOMAIN}`;
const BARE_MAILBOX = new RegExp(`^\\s*${MAILBOX}\\s*$`, "u");
const PHRASE_WORD = new RegExp(`\\s*(?:(?:${ATOM}|\\.)+|${QUOTED})`, "uy");
const EMAIL_MAX = 1000;

/** A mailbox, alone or in angle brackets after a name. */
function isEmail(text: string): boolean {
  if (text.length > EMAIL_MAX) return false;
  const trimmed = text.trim();
  const open = trimmed.lastIndexOf("<");
  if (open < 0 || !trimmed.endsWith(">")) return BARE_MAILBOX.test(trimmed);
  return isPhrase(trimmed.slice(0, open).trimEnd()) && BARE_MAILBOX.test(trimmed.slice(open + 1, -1));
}

/** Words and quoted strings, matched word by word to avoid backtracking on long texts. */
function isPhrase(text: string): boolean {
  PHRASE_WORD.lastIndex = 0;
  while (PHRASE_WORD.lastIndex < text.length) if (!PHRASE_WORD.test(text)) return false;
  return true;
}

// Addresses by upstream's format checks. They are more lenient than meta/ip, because leading zeros in IPv4 were once
// allowed and exist in stored objects.

const DOTTED = /^0*(?:25[0-5]|2[0-4]\d|1?\d?\d)(?:\.0*(?:25[0-5]|2[0-4]\d|1?\d?\d)){3}$/;
const HEX_GROUP = /^[0-9a-fA-F]{1,4}$/;
const LONGEST = 100;
const MAC_BYTES: ReadonlySet<number> = new Set([6, 8, 20]);

const isDotted = (text: string): boolean => text.length <= LONGEST && DOTTED.test(text);

const isColoned = (text: string): boolean => isIpv6Text(text, DOTTED, LONGEST);

const isAddress = (text: string): boolean => (text.includes(":") ? isColoned(text) : isDotted(text));

/** Any address with a dot: an IPv4-mapped IPv6 address has one, too. */
const isIpv4 = (text: string): boolean => text.includes(".") && isAddress(text);

const isIpv6 = (text: string): boolean => text.includes(":") && isColoned(text);

function isCidr(text: string): boolean {
  const slash = text.indexOf("/");
  if (slash < 0) return false;
  const address = text.slice(0, slash);
  const prefix = text.slice(slash + 1);
  if (!/^\d{1,9}$/.test(prefix)) return false;
  return isDotted(address) ? Number(prefix) <= 32 : isColoned(address) && Number(prefix) <= 128;
}

/** 6, 8 or 20 bytes: 01:02:…, 01-02-… or 0102.0304.… */
function isMac(text: string): boolean {
  const separator = text[2] === ":" || text[2] === "-" ? text[2] : text[4] === "." ? "." : undefined;
  if (separator === undefined) return false;
  const digits = separator === "." ? 4 : 2;
  const groups = text.split(separator);
  return (
    MAC_BYTES.has((groups.length * digits) / 2) &&
    groups.every((group) => group.length === digits && HEX_GROUP.test(group))
  );
}

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
  ["k8sshortname", (text) => isDns1123Label(text).length === 0],
  ["k8slongname", (text) => isDns1123Subdomain(text).length === 0],
]);

/** Validator of a format; undefined: the format is not validated. */
export const formatCheck = (format: string): FormatCheck | undefined =>
  CHECKS.get(format.replaceAll("-", ""));
