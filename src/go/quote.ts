// Text in quotes, as Go prints it: strconv.Quote and the %q verb, which are the same. Messages of a real server quote
// values this way.

const SHORT: ReadonlyMap<string, string> = new Map([
  ["\x07", "\\a"],
  ["\b", "\\b"],
  ["\f", "\\f"],
  ["\n", "\\n"],
  ["\r", "\\r"],
  ["\t", "\\t"],
  ["\v", "\\v"],
  ["\\", "\\\\"],
  ['"', '\\"'],
]);
/** All but what strconv.IsPrint lets stand (of white space, only the plain one), and what ends or escapes a quote. */
const ESCAPED = /["\\]|[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu;

/** Half a surrogate pair, which Go's text cannot hold, is shown as U+FFFD. */
export const goQuote = (text: string): string => `"${text.toWellFormed().replace(ESCAPED, escapeLetter)}"`;

function escapeLetter(letter: string): string {
  const short = SHORT.get(letter);
  if (short !== undefined) return short;
  const code = letter.codePointAt(0) ?? 0;
  const hex = code.toString(16);
  if (code < 0x80) return `\\x${hex.padStart(2, "0")}`;
  return code > 0xffff ? `\\U${hex.padStart(8, "0")}` : `\\u${hex.padStart(4, "0")}`;
}
