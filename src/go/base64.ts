// []byte in JSON: standard base64 with padding, as Go's decoder accepts it.

const WELL_FORMED = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const LETTER = /[A-Za-z0-9+/]/;
const LINE_END = /[\r\n]/;

/** Whether it is base64 without line ends. */
export const isBase64 = (text: string): boolean => WELL_FORMED.test(text);

/** Go's complaint about a text that is no base64, or undefined. */
export function base64Error(text: string): string | undefined {
  if (isBase64(text)) return undefined;
  const at = corruptByte(Buffer.from(text).toString("latin1"));
  return at === undefined ? undefined : `illegal base64 data at input byte ${at}`;
}

/** As it is written back: without line ends, unused bits zero. The text must be base64. */
export function canonicalBase64(text: string): string {
  return Buffer.from(text, "base64").toString("base64");
}

/** The position that Go names; line ends may stand anywhere. One letter per byte. */
function corruptByte(bytes: string): number | undefined {
  let inQuantum = 0;
  for (let at = 0; at < bytes.length; at++) {
    const letter = bytes[at] ?? "";
    if (LINE_END.test(letter)) continue;
    if (letter === "=") return paddingFault(bytes, at, inQuantum);
    if (!LETTER.test(letter)) return at;
    inQuantum = (inQuantum + 1) % 4;
  }
  return inQuantum === 0 ? undefined : bytes.length - inQuantum;
}

function paddingFault(bytes: string, at: number, inQuantum: number): number | undefined {
  if (inQuantum < 2) return at;
  let next = skipLineEnds(bytes, at + 1);
  if (inQuantum === 2) {
    if (next === bytes.length) return bytes.length;
    if (bytes[next] !== "=") return next - 1;
    next = skipLineEnds(bytes, next + 1);
  }
  return next < bytes.length ? next : undefined;
}

function skipLineEnds(bytes: string, from: number): number {
  let at = from;
  while (at < bytes.length && LINE_END.test(bytes[at] ?? "")) at++;
  return at;
}
