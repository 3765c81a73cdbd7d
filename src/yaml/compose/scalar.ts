// What a scalar means, by its tag if it has one.

import { GoFloat } from "../../go/strconv.ts";
import type { YamlEvent } from "../parse/event.ts";
import { DecodeFailure, type GoScalar } from "./go-value.ts";
import { resolvePlain } from "./plain.ts";

const PREFIX = "tag:yaml.org,2002:";
export const MERGE_TAG = `${PREFIX}merge`;
/** Tags that say what a text has to mean. Any other one makes it a text. */
const MEANINGS: ReadonlySet<string> = new Set(
  ["bool", "int", "float", "null", "timestamp"].map((name) => PREFIX + name),
);
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** Throws DecodeFailure. */
export function scalarOf({ value, tag, isImplicit }: YamlEvent): GoScalar {
  if (tag === "") return isImplicit ? resolvePlain(value) : value;
  if (tag === `${PREFIX}binary`) return binaryText(value);
  return MEANINGS.has(tag) ? meant(tag, value) : value;
}

function binaryText(value: string): string {
  const digits = value.replace(/[\r\n]/g, "");
  if (!BASE64.test(digits)) throw new DecodeFailure("!!binary value contains invalid base64 data");
  return Buffer.from(digits, "base64").toString("utf8");
}

function meant(tag: string, text: string): GoScalar {
  if (tag === `${PREFIX}timestamp` && isTimestamp(text)) return text;
  const value = resolvePlain(text);
  const found = tagOf(value);
  if (found === tag) return value;
  const isInt64 = typeof value === "number" || (typeof value === "bigint" && value < 2n ** 63n);
  if (tag === `${PREFIX}float` && isInt64) return new GoFloat(Number(value));
  throw new DecodeFailure(`cannot decode ${short(found)} \`${text}\` as a ${short(tag)}`);
}

function tagOf(value: GoScalar): string {
  if (value === null) return `${PREFIX}null`;
  if (value instanceof GoFloat) return `${PREFIX}float`;
  const type = typeof value;
  return PREFIX + (type === "string" ? "str" : type === "boolean" ? "bool" : "int");
}

const short = (tag: string): string => `!!${tag.slice(PREFIX.length)}`;

const TIMESTAMP =
  /^(\d{4})-(\d{1,2})-(\d{1,2})(?:[Tt](\d{1,2}):(\d{1,2}):(\d{1,2})(?:[.,]\d+)?(?:Z|[-+](\d{2}):(\d{2}))| (\d{1,2}):(\d{1,2}):(\d{1,2})(?:[.,]\d+)?)?$/;

/** A date, or a date and a time. */
function isTimestamp(text: string): boolean {
  const [, year, month, day, ...times] = TIMESTAMP.exec(text) ?? [];
  if (year === undefined) return false;
  const [hour, minute, second] = [times[0] ?? times[5], times[1] ?? times[6], times[2] ?? times[7]];
  const [zoneHour, zoneMinute] = [times[3], times[4]];
  const date = new Date(0);
  date.setUTCFullYear(Number(year), Number(month) - 1, Number(day));
  const isDate = date.getUTCMonth() === Number(month) - 1 && date.getUTCDate() === Number(day);
  const isTime = below(hour, 24) && below(minute, 60) && below(second, 60);
  return isDate && isTime && below(zoneHour, 25) && below(zoneMinute, 61);
}

const below = (digits: string | undefined, limit: number): boolean => Number(digits ?? 0) < limit;
