// Text as Go's %q prints it: messages of a real server quote values this way.

const SHORT: ReadonlyMap<string, string> = new Map([
  ["\u0007", "\\a"],
  ["\b", "\\b"],
  ["\f", "\\f"],
  ["\n", "\\n"],
  ["\r", "\\r"],
  ["\t", "\\t"],
  ["\v", "\\v"],
  ["\\", "\\\\"],
  ['"', '\\"'],
]);
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
const PLAIN = /^[^\u0000-\u001f"\\\u007f-\u00a0\u00ad\u2028\u2029\ud800-\udfff\ufeff\ufffd]*$/;
const PRINTABLE = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u;

export function goQuote(text: string): string {
  if (PLAIN.test(text)) return `"${text}"`;
  let out = '"';
  for (const letter of text)
    out += SHORT.get(letter) ?? (PRINTABLE.test(letter) ? letter : escapeLetter(letter));
  return `${out}"`;
}

function escapeLetter(letter: string): string {
  const code = letter.codePointAt(0) ?? 0;
  if (code < 0x80) return `\\x${code.toString(16).padStart(2, "0")}`;
  return code > 0xffff
    ? `\\U${code.toString(16).padStart(8, "0")}`
    : `\\u${code.toString(16).padStart(4, "0")}`;
}
