// Go's %q, as messages quote names and values.

import { lookupTable } from "../../meta/lookup-table.ts";

const PLAIN = /^[ !#-[\]-~]*$/;
const NAMED: Readonly<Record<string, string>> = lookupTable({
  '"': '\\"',
  "\\": "\\\\",
  "\x07": "\\a",
  "\b": "\\b",
  "\t": "\\t",
  "\n": "\\n",
  "\v": "\\v",
  "\f": "\\f",
  "\r": "\\r",
});
const PRINTABLE = /[\p{L}\p{M}\p{N}\p{P}\p{S}]/u;

export function quote(text: string): string {
  if (PLAIN.test(text)) return `"${text}"`;
  let out = "";
  for (const letter of text) out += quoteLetter(letter);
  return `"${out}"`;
}

function quoteLetter(letter: string): string {
  const named = NAMED[letter];
  if (named !== undefined) return named;
  const code = letter.codePointAt(0) ?? 0;
  if (code === 0x20 || PRINTABLE.test(letter)) return letter;
  const hex = code.toString(16);
  if (code < 0x80) return `\\x${hex.padStart(2, "0")}`;
  return code > 0xffff ? `\\U${hex.padStart(8, "0")}` : `\\u${hex.padStart(4, "0")}`;
}
