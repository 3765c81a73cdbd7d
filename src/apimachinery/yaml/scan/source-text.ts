// Decodes bytes to text: UTF-8, or UTF-16 with a byte order mark. An invalid character ends the text. It is reported
// only when the reader gets there, since a syntax error or the end of the document may come first.
import { isUtf8 } from "node:buffer";

export interface SourceText {
  readonly text: string;
  readonly problemAtEnd: string | undefined;
}

/** go-yaml reads its input in pieces of so many bytes, and validates each before it reads on. */
const PIECE_BYTES = 512;
const BYTE_ORDER_MARK = "\ufeff";
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const FORBIDDEN = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ufffe\uffff]/;

export function sourceTextOf(input: string | Uint8Array): SourceText {
  if (typeof input === "string") return checked(input);
  const bytes = Buffer.from(input.buffer, input.byteOffset, input.byteLength);
  const mark = bytes.length < 2 ? 0 : bytes.readUInt16BE(0);
  if (mark === 0xfffe) return checked(bytes.toString("utf16le"));
  if (mark === 0xfeff) return checked(swapped(bytes).toString("utf16le"));
  if (isUtf8(bytes)) return checked(bytes.toString("utf8"));
  const { at, problem } = firstBroken(bytes);
  const { text, problemAtEnd } = checked(bytes.toString("utf8", 0, pieceStart(at)));
  return { text, problemAtEnd: problemAtEnd ?? problem };
}

function checked(given: string): SourceText {
  const text = given.startsWith(BYTE_ORDER_MARK) ? given.slice(BYTE_ORDER_MARK.length) : given;
  const at = text.search(FORBIDDEN);
  if (at < 0) return { text, problemAtEnd: undefined };
  return { text: text.slice(0, pieceStart(at)), problemAtEnd: "control characters are not allowed" };
}

const pieceStart = (at: number): number => at - (at % PIECE_BYTES);

const swapped = (bytes: Buffer): Buffer => Buffer.from(bytes.subarray(0, bytes.length & ~1)).swap16();

/** The position of the first invalid bytes, and the error. */
function firstBroken(bytes: Uint8Array): { readonly at: number; readonly problem: string } {
  for (let at = 0; at < bytes.length; ) {
    const width = widthOf(bytes[at] ?? 0);
    const problem = problemOf(bytes.subarray(at, at + width), width);
    if (problem !== undefined) return { at, problem };
    at += width;
  }
  throw new Error("only called for bytes that are no UTF-8");
}

/** By the first byte of a letter; 0 if it is invalid. */
export function widthOf(byte: number): number {
  if (byte < 0x80) return 1;
  if (byte < 0xc0 || byte >= 0xf8) return 0;
  return byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
}

function problemOf(letter: Uint8Array, width: number): string | undefined {
  if (width === 0) return "invalid leading UTF-8 octet";
  if (letter.length < width) return "incomplete UTF-8 octet sequence";
  if (letter.subarray(1).some((byte) => (byte & 0xc0) !== 0x80)) return "invalid trailing UTF-8 octet";
  if (isUtf8(letter)) return undefined;
  const first = letter[0] ?? 0;
  const second = letter[1] ?? 0;
  const isTooLong = first < 0xc2 || (first === 0xe0 && second < 0xa0) || (first === 0xf0 && second < 0x90);
  return isTooLong ? "invalid length of a UTF-8 sequence" : "invalid Unicode character";
}
