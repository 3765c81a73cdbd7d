// Estimates the program size of a regular expression from its text: "(?i)[a-z]{1000}x" has 16 characters and a thousand
// instructions. Matching takes up to one step per instruction and letter of the text, whatever the length of the
// pattern is.

/** One instruction, but hundreds of ranges to compile and to search. */
const UNICODE_CLASS_SIZE = 4;
const SIZE_MAX = 1e9;

const COUNT = /\{(\d+)(?:(,)(\d*))?\}/y;
/** Names are shorter than this. The limit avoids repeated searches for an unclosed brace. */
const ESCAPE = /[pP]\{[^}]{0,40}\}|[pP]|x\{[^}]{0,10}\}|[\s\S]/y;

/** One item of a pattern: the number of its instructions, and its length in the text. */
type Item = readonly [instructions: number, length: number];

/**
 * Approximate number of instructions of the compiled pattern. Linear in the length of the text; any text has a size.
 */
export function patternSize(source: string): number {
  const outer: number[] = [];
  let size = 1;
  let last = 0;
  let at = 0;
  const item = ([instructions, length]: Item) => {
    size = Math.min(size + instructions, SIZE_MAX);
    last = instructions;
    at += length;
  };
  while (at < source.length) {
    const letter = source[at];
    if (letter === "\\") item(escapedItem(source, at));
    else if (letter === "[") item(bracketItem(source, at));
    else if (letter === "(") {
      outer.push(size);
      size = 2;
      at++;
    } else if (letter === ")") {
      const inner = size;
      size = outer.pop() ?? 0;
      item([inner, 1]);
    } else if (letter === "{") {
      const times = repeatAt(source, at);
      if (times === undefined) item([1, 1]);
      else item([Math.min(last * times.factor, SIZE_MAX) - last, times.length]);
    } else item([1, 1]);
  }
  for (const rest of outer) size += rest;
  return Math.min(size, SIZE_MAX);
}

function escapedItem(source: string, at: number): Item {
  ESCAPE.lastIndex = at + 1;
  const [name = ""] = ESCAPE.exec(source) ?? [];
  if (name === "Q") {
    const end = source.indexOf("\\E", at + 2);
    const length = (end < 0 ? source.length : end + 2) - at;
    return [length, length];
  }
  return [/^p/i.test(name) ? UNICODE_CLASS_SIZE : 1, name.length + 1];
}

/** A character class, "[^]a-z\\p{L}]". The end of a nested class, "[:alpha:]", counts as its end. */
function bracketItem(source: string, start: number): Item {
  let size = 1;
  let at = start + 1;
  if (source[at] === "^") at++;
  if (source[at] === "]") at++;
  while (at < source.length && source[at] !== "]") {
    if (source[at] === "\\") {
      const [escaped, length] = escapedItem(source, at);
      size += escaped - 1;
      at += length;
    } else at++;
  }
  return [size, at + 1 - start];
}

/** Number of copies of an item that a repetition makes; each optional copy has a branch. */
function repeatAt(source: string, at: number): { factor: number; length: number } | undefined {
  COUNT.lastIndex = at;
  const [text = "", least = "", comma, most = ""] = COUNT.exec(source) ?? [];
  if (text === "") return undefined;
  const min = Number(least);
  const max = comma === undefined ? min : most === "" ? min + 1 : Number(most);
  return { factor: Math.max(min + 2 * Math.max(max - min, 0), 1), length: text.length };
}
