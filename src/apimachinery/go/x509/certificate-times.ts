// Validity times of certificates (RFC 5280, 4.1.2.5), as Go parses them.
import type { Element } from "../asn1.ts";
import { Asn1Error, TAG } from "../asn1-values.ts";

const DIGITS = String.raw`(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)?(Z|[+-]\d{4})`;
const UTC = new RegExp(`^(\\d\\d)${DIGITS}$`);
const GENERALIZED = new RegExp(`^(\\d{4})${DIGITS}$`);
/** Years of two digits from here on are of the 20th century. */
const PIVOT = 50;

/** Milliseconds since the epoch. Throws Asn1Error. */
export function readTime({ tag, content }: Element): number {
  const text = content.toString("latin1");
  if (tag === TAG.utcTime) return timeOf(UTC.exec(text), (year) => year + (year < PIVOT ? 2000 : 1900));
  if (tag === TAG.generalizedTime) return timeOf(GENERALIZED.exec(text), (year) => year);
  throw new Asn1Error("x509: unsupported time format");
}

function timeOf(found: RegExpExecArray | null, fullYear: (year: number) => number): number {
  if (found === null) throw new Asn1Error("x509: malformed time");
  const [, year, month, day, hour, minute, second = "00", zone = "Z"] = found;
  const date = `${String(fullYear(Number(year))).padStart(4, "0")}-${month}-${day}`;
  const offset = zone === "Z" ? zone : `${zone.slice(0, 3)}:${zone.slice(3)}`;
  const time = Date.parse(`${date}T${hour}:${minute}:${second}${offset}`);
  if (Number.isNaN(time) || new Date(`${date}T00:00:00Z`).getUTCDate() !== Number(day))
    throw new Asn1Error("x509: malformed time");
  return time;
}
