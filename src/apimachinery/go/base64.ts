// []byte in JSON: standard base64 with padding, as Go's decoder accepts it. A value of several megabytes is validated
// without a yield. So validation searches for invalid characters, since a regular expression with a repetition takes 25
// ns per letter.

const NO_DIGIT = /[^A-Za-z0-9+/]/;
const LINE_ENDS = /[\r\n]+/g;
/** Letters allowed before one and two "=": those whose unused bits are zero. */
const LAST_DIGITS = [undefined, "AEIMQUYcgkosw048", "AQgw"];

const IS_DIGIT = new Uint8Array(256);
for (const digit of Buffer.from("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"))
  IS_DIGIT[digit] = 1;
const [LINE_FEED, CARRIAGE_RETURN, PADDING] = Buffer.from("\n\r=");

/** Whether the text is base64 without line breaks. */
export const isBase64 = (text: string): boolean => paddingOf(text) !== undefined;

/** Go's error for a text that is no base64; undefined: it is valid. */
export function base64Error(text: string): string | undefined {
  if (isBase64(text) || isBase64(text.replace(LINE_ENDS, ""))) return undefined;
  const at = corruptByte(Buffer.from(text));
  return at === undefined ? undefined : `illegal base64 data at input byte ${at}`;
}

/** The text as Go encodes it: without line breaks, unused bits zero. The text must be base64. */
export function canonicalBase64(text: string): string {
  return isCanonical(text) ? text : Buffer.from(text, "base64").toString("base64");
}

function isCanonical(text: string): boolean {
  const padding = paddingOf(text);
  if (padding === undefined || padding === 0) return padding === 0;
  return LAST_DIGITS[padding]?.includes(text.charAt(text.length - padding - 1)) === true;
}

/** Number of "=" at the end; undefined for a text that is no base64 without line breaks. */
function paddingOf(text: string): number | undefined {
  if (text.length % 4 !== 0) return undefined;
  const at = text.search(NO_DIGIT);
  const padding = at < 0 ? 0 : text.length - at;
  return ["", "=", "=="][padding] === text.slice(text.length - padding) ? padding : undefined;
}

/** The position in Go's error; line breaks are allowed anywhere. */
function corruptByte(bytes: Buffer): number | undefined {
  let inQuantum = 0;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0;
    if (isLineEnd(byte)) continue;
    if (byte === PADDING) return paddingFault(bytes, at, inQuantum);
    if (!IS_DIGIT[byte]) return at;
    inQuantum = (inQuantum + 1) % 4;
  }
  return inQuantum === 0 ? undefined : bytes.length - inQuantum;
}

function paddingFault(bytes: Buffer, at: number, inQuantum: number): number | undefined {
  if (inQuantum < 2) return at;
  let next = skipLineEnds(bytes, at + 1);
  if (inQuantum === 2) {
    if (next === bytes.length) return bytes.length;
    if (bytes[next] !== PADDING) return next - 1;
    next = skipLineEnds(bytes, next + 1);
  }
  return next < bytes.length ? next : undefined;
}

function skipLineEnds(bytes: Buffer, from: number): number {
  let at = from;
  while (isLineEnd(bytes[at])) at++;
  return at;
}

const isLineEnd = (byte: number | undefined): boolean => byte === LINE_FEED || byte === CARRIAGE_RETURN;

const NO_URL_DIGIT = /[^\w-]/;

/**
 * Base64url without padding and with zero unused bits: no two texts encode the same bytes. undefined for any other
 * text. Node's own decoder skips invalid letters and accepts both alphabets.
 */
export function decodeRawUrl(text: string): Buffer | undefined {
  if (text.length % 4 === 1 || NO_URL_DIGIT.test(text)) return undefined;
  const bytes = Buffer.from(text, "base64url");
  const isCanonical = text.length % 4 === 0 || bytes.toString("base64url").endsWith(text.slice(-1));
  return isCanonical ? bytes : undefined;
}
