// Indents JSON text without decoding it, so that numbers keep every digit.
import { spaces } from "./text-parts.ts";

const INDENT = 2;
/** The parts of a long text have about so many characters. */
const PART_CHARACTERS = 4096;

export const prettyJson = (text: string): string => [...prettyParts(text)].join("");

/** The same part by part. `depth`: of the place where it stands. */
export function* prettyParts(text: string, depth = 0): Generator<string, void> {
  let out = "";
  let from = 0;
  let level = depth;
  const upTo = (end: number, newline: boolean) => {
    out += newline ? `${text.slice(from, end)}\n${spaces(INDENT * level)}` : text.slice(from, end);
    from = end;
  };
  for (let at = 0; at < text.length; at++) {
    switch (text[at]) {
      case '"':
        at = endOfString(text, at);
        break;
      case "{":
      case "[":
        if (text[at + 1] === "}" || text[at + 1] === "]") at++;
        else {
          level++;
          upTo(at + 1, true);
        }
        break;
      case "}":
      case "]":
        level--;
        upTo(at, true);
        break;
      case ",":
        upTo(at + 1, true);
        break;
      case ":":
        upTo(at + 1, false);
        out += " ";
        break;
    }
    if (out.length < PART_CHARACTERS) continue;
    yield out;
    out = "";
  }
  upTo(text.length, false);
  yield out;
}

/** Where the string ends whose quote stands at the place. */
function endOfString(text: string, start: number): number {
  let at = start;
  for (;;) {
    at = text.indexOf('"', at + 1);
    if (at < 0) return text.length;
    let escapes = 0;
    while (text[at - 1 - escapes] === "\\") escapes++;
    if (escapes % 2 === 0) return at;
  }
}
