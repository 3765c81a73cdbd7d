// Where one JSON object or list ends and the next begins, in a text that holds one behind the other, with or without lines
// between them.

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPENING = new Set([0x7b, 0x5b]);
const CLOSING = new Set([0x7d, 0x5d]);

/** The text of each; the last may be cut off. None where something else stands between them. */
export function* valuesInJson(text: string): Generator<string, void, undefined> {
  let from = 0;
  while (from < text.length) {
    const start = nextSign(text, from);
    if (start === text.length || !OPENING.has(text.charCodeAt(start))) return;
    from = endOf(text, start);
    yield text.slice(start, from);
  }
}

/** The first place that is no blank. */
function nextSign(text: string, from: number): number {
  let at = from;
  while (at < text.length && /\s/.test(text[at] ?? "")) at++;
  return at;
}

/** Behind the sign that closes the value that begins at `start`. */
function endOf(text: string, start: number): number {
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    const sign = text.charCodeAt(at);
    if (sign === QUOTE) at = endOfString(text, at);
    else if (OPENING.has(sign)) depth++;
    else if (CLOSING.has(sign) && --depth === 0) return at + 1;
  }
  return text.length;
}

/** The place of the quote that ends the string. */
function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    const sign = text.charCodeAt(at);
    if (sign === BACKSLASH) at++;
    else if (sign === QUOTE) return at;
  }
  return text.length;
}
