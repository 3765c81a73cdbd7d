// The values of ASN.1 types as Go's encoding/asn1 decodes and rejects them, and its two types of errors.

export class Asn1Error extends Error {}

export const structural = (why: string): Asn1Error => new Asn1Error(`asn1: structure error: ${why}`);
export const syntax = (why: string): Asn1Error => new Asn1Error(`asn1: syntax error: ${why}`);

/** Universal tags. */
export const TAG = {
  boolean: 1,
  integer: 2,
  bits: 3,
  octets: 4,
  oid: 6,
  utf8: 12,
  sequence: 16,
  set: 17,
  numeric: 18,
  printable: 19,
  t61: 20,
  ia5: 22,
  utcTime: 23,
  generalizedTime: 24,
  bmp: 30,
} as const;

/**
 * Checks a primitive value of a universal type where Go decodes into `any`. Throws Asn1Error; types unknown to Go pass.
 */
export function checkAny(tag: number, content: Buffer): void {
  if (tag === TAG.boolean) checkBoolean(content);
  else if (tag === TAG.integer) checkInteger(content);
  else if (tag === TAG.bits) checkBits(content);
  else if (tag === TAG.oid) checkObjectId(content);
  else if (tag === TAG.utcTime || tag === TAG.generalizedTime) checkTime(tag, content);
  else decodeText(tag, content);
}

export function checkBoolean(bytes: Buffer): void {
  if (!["00", "ff"].includes(bytes.toString("hex"))) throw syntax("invalid boolean");
}

const INT32_MAX = 0x7fffffff;
const GROUPS_MAX = 5;

/** The number and the offset after it. */
export function readBase128(bytes: Buffer, from: number): [number, number] {
  let number = 0;
  for (let at = from; at < bytes.length; at++) {
    if (at - from === GROUPS_MAX) throw structural("base 128 integer too large");
    const byte = bytes.readUInt8(at);
    if (at === from && byte === 0x80) throw syntax("integer is not minimally encoded");
    number = number * 0x80 + (byte & 0x7f);
    if (byte >= 0x80) continue;
    if (number > INT32_MAX) throw structural("base 128 integer too large");
    return [number, at + 1];
  }
  throw syntax("truncated base 128 integer");
}

const INT64_BYTES = 8;

/** An integer that Go keeps in 64 bits. */
export function checkInteger(bytes: Buffer): void {
  checkBigInteger(bytes);
  if (bytes.length > INT64_BYTES) throw structural("integer too large");
}

export function checkBigInteger(bytes: Buffer): void {
  const [first, second = 0] = bytes;
  if (first === undefined) throw structural("empty integer");
  const isPadded = (first === 0 && second < 0x80) || (first === 0xff && second >= 0x80);
  if (bytes.length > 1 && isPadded) throw structural("integer not minimally-encoded");
}

export function checkBits(bytes: Buffer): void {
  const [unused] = bytes;
  if (unused === undefined) throw syntax("zero length BIT STRING");
  const last = bytes.readUInt8(bytes.length - 1);
  if (unused > 7 || (bytes.length === 1 && unused > 0) || (last & ((1 << unused) - 1)) !== 0)
    throw syntax("invalid padding bits in BIT STRING");
}

export function checkObjectId(bytes: Buffer): void {
  if (bytes.length === 0) throw syntax("zero length OBJECT IDENTIFIER");
  for (let at = 0; at < bytes.length; ) [, at] = readBase128(bytes, at);
}

const MONTH_TO_MINUTE = "(0[1-9]|1[0-2])(0[1-9]|[12]\\d|3[01])([01]\\d|2[0-3])([0-5]\\d)";
const ZONE = "(Z|[+-](?!0000)([01]\\d|2[0-4])[0-5]\\d)";
const TIMES = {
  [TAG.utcTime]: new RegExp(`^\\d\\d${MONTH_TO_MINUTE}([0-5]\\d)?${ZONE}$`),
  [TAG.generalizedTime]: new RegExp(`^\\d{4}${MONTH_TO_MINUTE}[0-5]\\d(\\.\\d{0,8}[1-9])?${ZONE}$`),
};

function checkTime(tag: keyof typeof TIMES, bytes: Buffer): void {
  if (!TIMES[tag].test(bytes.toString("latin1"))) throw new Asn1Error("asn1: the time cannot be parsed");
}

/** With "*" and "&", which the standard excludes and Go accepts. */
const PRINTABLE_TEXT = /^[A-Za-z0-9'()+,\-./: =?*&]*$/;
const NUMERIC_TEXT = /^[0-9 ]*$/;
const IA5_TEXT = /^[\0-\x7f]*$/;

/** Decodes a string by its tag. undefined: no string type that Go knows. Throws Asn1Error. */
export function decodeText(tag: number, bytes: Buffer): string | undefined {
  const latin1 = () => bytes.toString("latin1");
  const matching = (pattern: RegExp, type: string): string => {
    const text = latin1();
    if (!pattern.test(text)) throw syntax(`${type} contains invalid character`);
    return text;
  };
  switch (tag) {
    case TAG.printable:
      return matching(PRINTABLE_TEXT, "PrintableString");
    case TAG.numeric:
      return matching(NUMERIC_TEXT, "NumericString");
    case TAG.ia5:
      return matching(IA5_TEXT, "IA5String");
    case TAG.t61:
      return latin1();
    case TAG.utf8: {
      const text = bytes.toString("utf8");
      if (!Buffer.from(text).equals(bytes)) throw new Asn1Error("asn1: invalid UTF-8 string");
      return text;
    }
    case TAG.bmp:
      return decodeBmp(bytes);
    default:
      return undefined;
  }
}

/** Big-endian UCS-2. One zero at the end is a terminator; surrogates and noncharacters are rejected. */
function decodeBmp(bytes: Buffer): string {
  const units: number[] = [];
  const { length } = bytes;
  const hasTerminator = length >= 2 && bytes[length - 1] === 0 && bytes[length - 2] === 0;
  if (length % 2 !== 0) throw new Asn1Error("invalid BMPString");
  for (let at = 0; at < (hasTerminator ? length - 2 : length); at += 2) {
    const unit = bytes.readUInt16BE(at);
    const isReserved =
      unit >= 0xfffe || (unit >= 0xfdd0 && unit <= 0xfdef) || (unit >= 0xd800 && unit <= 0xdfff);
    if (isReserved) throw new Asn1Error("invalid BMPString");
    units.push(unit);
  }
  return units.map((unit) => String.fromCharCode(unit)).join("");
}
