// The value of a string or bytes token.
const SIMPLE_ESCAPES = new Map([
  ["a", "\x07"],
  ["b", "\b"],
  ["f", "\f"],
  ["n", "\n"],
  ["r", "\r"],
  ["t", "\t"],
  ["v", "\v"],
]);
const ESCAPE = /\\(?:[xX]([\dA-Fa-f]{2})|u([\dA-Fa-f]{4})|U([\dA-Fa-f]{8})|([0-3][0-7]{2})|(.))/gsu;
const CODE_POINT_MAX = 0x10ffff;

function strip(token: string): { text: string; raw: boolean } {
  const prefix = /^[rR]?/.exec(token)?.[0] ?? "";
  const body = token.slice(prefix.length);
  const quotes = body.length >= 6 && /^("""|''')/.test(body) ? 3 : 1;
  return { text: body.slice(quotes, -quotes), raw: prefix !== "" };
}

/** The text of a string token; undefined if an escape is no code point. */
export function unquoteString(token: string): string | undefined {
  const { text, raw } = strip(token.replaceAll("\r\n", "\n"));
  if (raw) return text;
  let broken = false;
  const out = text.replace(ESCAPE, (_all, hex, short, long, octal, letter) => {
    if (letter !== undefined) return SIMPLE_ESCAPES.get(letter) ?? letter;
    const code = octal === undefined ? Number.parseInt(hex ?? short ?? long, 16) : Number.parseInt(octal, 8);
    if (code > CODE_POINT_MAX || (code >= 0xd800 && code <= 0xdfff)) broken = true;
    return broken ? "" : String.fromCodePoint(code);
  });
  return broken ? undefined : out;
}

/** The bytes of a bytes token: UTF-8, with numeric escapes as single bytes. */
export function unquoteBytes(token: string): Uint8Array | undefined {
  const { text, raw } = strip(token.slice(1));
  if (raw) return Buffer.from(text);
  const parts: Buffer[] = [];
  let last = 0;
  for (const match of text.matchAll(ESCAPE)) {
    const [all, hex, short, long, octal, letter] = match;
    if (short !== undefined || long !== undefined) return undefined; // code points have no place in bytes
    parts.push(Buffer.from(text.slice(last, match.index)));
    if (letter !== undefined) parts.push(Buffer.from(SIMPLE_ESCAPES.get(letter) ?? letter));
    else
      parts.push(
        Buffer.from([hex === undefined ? Number.parseInt(octal ?? "0", 8) : Number.parseInt(hex, 16)]),
      );
    last = match.index + all.length;
  }
  parts.push(Buffer.from(text.slice(last)));
  return Buffer.concat(parts);
}
