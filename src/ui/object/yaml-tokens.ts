// YAML tokenizer, line by line, for syntax highlighting only. A full YAML parser would add a tenth to the size of the web
// UI; this one handles the style in which the server writes. It never rejects a text: the server reports syntax errors.

/** The used part of CodeMirror's StringStream. */
export interface Line {
  sol(): boolean;
  eol(): boolean;
  indentation(): number;
  eatSpace(): boolean;
  skipToEnd(): void;
  match(pattern: RegExp): unknown;
}

export interface Place {
  /** Indentation of the key of a block scalar; deeper lines belong to the scalar. Undefined outside of one. */
  block: number | undefined;
}

/** A key up to its colon, quoted or plain. */
const KEY =
  /^(?:"(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|[^\s'"#,[\]{}&*!|>%@`-][^#,[\]{}]*?|-[^\s#][^#,[\]{}]*?)(?=\s*:(?:\s|$))/;
const QUOTED = /^(?:"(?:[^"\\]|\\.)*"?|'(?:[^']|'')*'?)/;
/** Header of a block scalar. */
const BLOCK = /^[|>][-+\d]*(?=\s*(?:#.*)?$)/;
const SIGNS = /^(?:---|\.\.\.|[-?:](?=\s|$)|[,[\]{}])/;
const PLAIN = /^[^\s,[\]{}][^,[\]{}]*?(?=\s+#|[,[\]{}]|\s*$)/;

/** Returns the name of a tag of @lezer/highlight; null: no highlighting. */
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
