// The parts of a YAML text, line by line, for colours alone. A parser of the language would be a tenth of the page; this is enough for texts that a
// server writes. A text that is no YAML has colours as well; the server says what is wrong with it.

/** What is read of a line; a StringStream of CodeMirror's. */
export interface Line {
  sol(): boolean;
  eol(): boolean;
  indentation(): number;
  eatSpace(): boolean;
  skipToEnd(): void;
  match(pattern: RegExp): unknown;
}

export interface Place {
  /** Indented more than this a line belongs to a text of several lines; undefined: to none. */
  block: number | undefined;
}

/** Up to the colon that ends it; in quotes or plain. */
const KEY =
  /^(?:"(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|[^\s'"#,[\]{}&*!|>%@`-][^#,[\]{}]*?|-[^\s#][^#,[\]{}]*?)(?=\s*:(?:\s|$))/;
const QUOTED = /^(?:"(?:[^"\\]|\\.)*"?|'(?:[^']|'')*'?)/;
/** What begins a text of several lines. */
const BLOCK = /^[|>][-+\d]*(?=\s*(?:#.*)?$)/;
const SIGNS = /^(?:---|\.\.\.|[-?:](?=\s|$)|[,[\]{}])/;
const PLAIN = /^[^\s,[\]{}][^,[\]{}]*?(?=\s+#|[,[\]{}]|\s*$)/;

/** The name of a tag of @lezer/highlight; null: nothing of its own. */
export function nextToken(line: Line, place: Place): string | null {
  if (line.sol() && place.block !== undefined) {
    if (line.indentation() > place.block || line.match(/^\s*$/)) {
      line.skipToEnd();
      return "string";
    }
    place.block = undefined;
  }
  if (line.eatSpace()) return null;
  if (line.match(/^#.*/)) return "comment";
  if (line.match(BLOCK)) {
    place.block = line.indentation();
    return "punctuation";
  }
  if (line.match(KEY)) return "propertyName";
  if (line.match(SIGNS)) return "punctuation";
  if (line.match(QUOTED)) return "string";
  if (!line.match(PLAIN)) line.match(/^./u);
  return null;
}
