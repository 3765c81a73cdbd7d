// Texts that are made part by part, since indentation can make them far longer than what they tell of: 5,000 levels are
// 30 KB of JSON, and 25 MB once they are indented.
// JSON is indented without decoding it, so that numbers keep every digit.
import { pauseForOthers, turnIsLong } from "../../meta/clock.ts";
import type { StreamBody } from "../api-request.ts";

/** So much is always made at once. */
const WHOLE_CHARACTERS = 32 * 1024;
/** So much is sent at once. */
const CHUNK_CHARACTERS = 256 * 1024;

let blank = " ".repeat(256);

/** Cut out of one text: copied as a whole, where a repeated one is put together out of many. */
export function spaces(count: number): string {
  while (count > blank.length) blank = Buffer.alloc(2 * blank.length, " ").toString("latin1");
  return blank.slice(0, count);
}

/** The text as a body: whole where it is short, else as it is made, while others have their turn. */
export function textBody(parts: Iterator<string, void>): Uint8Array | StreamBody {
  const first = takeChunk(parts);
  if (!first.more) return Buffer.from(first.text);
  return async (sink, signal) => {
    for (let chunk = first; !signal.aborted; chunk = takeChunk(parts)) {
      await sink.write(Buffer.from(chunk.text));
      if (!chunk.more) return;
      await pauseForOthers();
    }
  };
}

function takeChunk(parts: Iterator<string, void>): { readonly text: string; readonly more: boolean } {
  let text = "";
  while (text.length < CHUNK_CHARACTERS) {
    const { value, done } = parts.next();
    if (done) return { text, more: false };
    text += value;
    if (text.length > WHOLE_CHARACTERS && turnIsLong()) break;
  }
  return { text, more: true };
}

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
