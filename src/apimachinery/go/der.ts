// Encodes DER (X.690) as far as certificates need it: a tag, a length, the content. Go's asn1.Marshal writes the same.

const BOOLEAN = 0x01;
const INTEGER = 0x02;
const BIT_STRING = 0x03;
const OCTET_STRING = 0x04;
const OBJECT_IDENTIFIER = 0x06;
const UTF8_STRING = 0x0c;
const UTC_TIME = 0x17;
const GENERALIZED_TIME = 0x18;
const PRINTABLE_STRING = 0x13;
const SEQUENCE = 0x30;
const SET = 0x31;
const CONTEXT = 0x80;
const CONSTRUCTED = 0x20;

function element(tag: number, content: readonly Uint8Array[]): Buffer {
  const body = Buffer.concat(content);
  return Buffer.concat([Buffer.from([tag]), lengthOf(body), body]);
}

/** Up to 127 it is one byte; else the first byte is the number of length bytes that follow. */
function lengthOf({ length }: Uint8Array): Buffer {
  if (length < 0x80) return Buffer.from([length]);
  const bytes: number[] = [];
  for (let rest = length; rest > 0; rest = Math.floor(rest / 0x100)) bytes.unshift(rest % 0x100);
  return Buffer.from([0x80 | bytes.length, ...bytes]);
}

export const sequence = (...items: readonly Uint8Array[]): Buffer => element(SEQUENCE, items);
/** Any number of items. DER orders the items of a set by their bytes. */
export const sequenceOf = (items: readonly Uint8Array[]): Buffer => element(SEQUENCE, items);
export const setOf = (items: readonly Uint8Array[]): Buffer => element(SET, items.toSorted(Buffer.compare));
export const set = (...items: readonly Uint8Array[]): Buffer => setOf(items);
export const utf8 = (value: string): Buffer => element(UTF8_STRING, [Buffer.from(value)]);

const PRINTABLE = /^[A-Za-z0-9'()+,\-./: =?]*$/;
/** The narrowest string type, as Go chooses it. */
export const text = (value: string): Buffer =>
  PRINTABLE.test(value) ? element(PRINTABLE_STRING, [Buffer.from(value)]) : utf8(value);
export const boolean = (value: boolean): Buffer => element(BOOLEAN, [Buffer.from([value ? 0xff : 0])]);
export const octets = (bytes: Uint8Array): Buffer => element(OCTET_STRING, [bytes]);

/** A positive number, big-endian. */
export function integer(bytes: Uint8Array): Buffer {
  const first = bytes.findIndex((byte) => byte !== 0);
  const digits = first < 0 ? Buffer.from([0]) : bytes.subarray(first);
  const sign = (digits[0] ?? 0) >= 0x80 ? Buffer.from([0]) : Buffer.alloc(0);
  return element(INTEGER, [sign, digits]);
}

/** Bits in whole bytes, or without the last ones, which are then zero. */
export const bits = (bytes: Uint8Array, unused = 0): Buffer =>
  element(BIT_STRING, [Buffer.from([unused]), bytes]);

/** "1.2.840.10045.4.3.2": the first two numbers share a byte; each further one is written in groups of seven bits. */
export function objectIdentifier(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split(".").map(Number);
  const bytes = [first * 40 + second];
  for (const number of rest) {
    const groups = [number % 0x80];
    for (let left = Math.floor(number / 0x80); left > 0; left = Math.floor(left / 0x80))
      groups.unshift(0x80 | (left % 0x80));
    for (const group of groups) bytes.push(group);
  }
  return element(OBJECT_IDENTIFIER, [Buffer.from(bytes)]);
}

/** Until 2049 the year has two digits, as RFC 5280 requires. */
export function time(epochMs: number): Buffer {
  const digits = `${new Date(epochMs).toISOString().replace(/[-:T]/g, "").slice(0, 14)}Z`;
  return digits < "2050"
    ? element(UTC_TIME, [Buffer.from(digits.slice(2))])
    : element(GENERALIZED_TIME, [Buffer.from(digits)]);
}

/** A context-specific tag: explicit around other elements, or implicit, in place of the universal tag. */
export const tagged = (number: number, ...items: readonly Uint8Array[]): Buffer =>
  element(CONTEXT | CONSTRUCTED | number, items);
export const taggedBytes = (number: number, bytes: Uint8Array): Buffer => element(CONTEXT | number, [bytes]);
