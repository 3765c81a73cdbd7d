// Where one JSON object or list ends and the next begins, in a text that holds one behind the other, with or without lines
// between them.

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

const isOpening = (sign: number): boolean => sign === 0x7b || sign === 0x5b;
const isClosing = (sign: number): boolean => sign === 0x7d || sign === 0x5d;

/** The text of each; the last may be cut off. None where something else stands between them. */
export function* valuesInJson(text: string): Generator<string, void, undefined> {
  let from = 0;
  while (from < text.length) {
    const start = nextSign(text, from);
    if (start === text.length || !isOpening(text.charCodeAt(start))) return;
    from = endOfValue(text, start);
    yield text.slice(start, from);
  }
}

/** The first place that is no blank. */
export function nextSign(text: string, from: number): number {
  let at = from;
  while (at < text.length && /\s/.test(text[at] ?? "")) at++;
  return at;
}

/** Behind the sign that closes the value that begins at `start`. */
export function endOfValue(text: string, start: number): number {
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    const sign = text.charCodeAt(at);
    if (sign === QUOTE) at = endOfString(text, at);
    else if (isOpening(sign)) depth++;
    else if (isClosing(sign) && --depth === 0) return at + 1;
  }
  return text.length;
}

/** The place of the quote that ends the string. */
export function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    const sign = text.charCodeAt(at);
    if (sign === BACKSLASH) at++;
    else if (sign === QUOTE) return at;
  }
  return text.length;
}
