// A YAML scalar in the style that go-yaml chooses: plain; double-quoted where the plain text would resolve to
// another type or needs escapes; single-quoted where it would not parse; multi-line text as a block.
import { Document } from "yaml";
import { lazy } from "../../../apimachinery/meta/memoize.ts";
import { replaceMany } from "../../../apimachinery/meta/texts.ts";

/** Tags to which a plain scalar resolves: null, bool, numbers, times; also those of YAML 1.1 (yes and no). */
const typesOfOthers = lazy(otherTypes);
/** Numbers never begin so, and words such as "false" are shorter. */
const SURELY_TEXT = /^[A-Za-z_/].{5}/;
/** Contains no indicator: plain, unless it resolves to another type. A fast path for short texts. */
const PLAIN = /^[A-Za-z0-9_/](?:(?:[!-9;-~]| (?!#)|:(?! ))*[!-,.-9;-~])?$/;
/** Longer texts are only searched for substrings: a repeating pattern takes 70 ns per character. */
const PLAIN_LENGTH_MAX = 1000;
/** An indicator at the start, or a key or comment separator. */
const NOT_BARE = /^(?:[#,[\]{}&*!|>'"%@`]|---|\.\.\.|[?:-](?: |$)| )|:(?: |$)| #| $/;
/**
 * go-yaml treats tabs and characters beyond 16 bits as not printable. Line and paragraph separators are escaped too,
 * which is safer than go-yaml, where they end lines.
 */
const SPECIAL = /[^\n -~\u00a0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd]/;
/** Trailing blanks of lines would be lost in a block. */
const NO_BLOCK = / (?:\n|$)/;

const isBare = (value: string): boolean =>
  SURELY_TEXT.test(value) || !typesOfOthers().some((type) => type.test(value));

/** `place` is the position of the scalar. The caller indents all lines but the first. */
export function scalarText(value: string, place: "key" | "value"): string {
  if (value.length <= PLAIN_LENGTH_MAX && PLAIN.test(value)) return isBare(value) ? value : quoted(value);
  if (SPECIAL.test(value)) return quoted(value);
  if (value.includes("\n")) return place === "key" || NO_BLOCK.test(value) ? quoted(value) : block(value);
  if (!isBare(value)) return quoted(value);
  return NOT_BARE.test(value) ? `'${value.replaceAll("'", "''")}'` : value;
}

function block(value: string): string {
  const indent = /^[ \n]/.test(value) ? "2" : "";
  const chomping = /\n\n$|^\n$/.test(value) ? "+" : value.endsWith("\n") ? "" : "-";
  const lines = value.endsWith("\n") ? value.slice(0, -1) : value;
  const setIn = replaceMany(`  ${replaceMany(lines, "\n", "\n  ")}`, "  \n", "\n"); // no line of the value ends with a blank
  const endsEmpty = lines === "" || lines.endsWith("\n");
  return `|${indent}${chomping}\n${endsEmpty ? setIn.slice(0, -2) : setIn}`;
}

const ESCAPES: ReadonlyMap<number, string> = new Map([
  ...([
    [0, "0"],
    [7, "a"],
    [8, "b"],
    [9, "t"],
    [10, "n"],
    [11, "v"],
    [12, "f"],
    [13, "r"],
  ] as const),
  ...([
    [0x1b, "e"],
    [0x22, '"'],
    [0x5c, "\\"],
    [0x85, "N"],
    [0x2028, "L"],
    [0x2029, "P"],
  ] as const),
]);
const ESCAPED = /["\\\n]|[^ -~\u00a0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd]/gu;

const quoted = (value: string): string => `"${value.toWellFormed().replace(ESCAPED, escaped)}"`;

function escaped(sign: string): string {
  const code = sign.codePointAt(0) ?? 0;
  const hex = (digits: number): string => code.toString(16).toUpperCase().padStart(digits, "0");
  const known = ESCAPES.get(code);
  if (known !== undefined) return `\\${known}`;
  if (code <= 0xff) return `\\x${hex(2)}`;
  return code <= 0xffff ? `\\u${hex(4)}` : `\\U${hex(8)}`;
}

function otherTypes(): RegExp[] {
  const { tags, compat } = new Document(null, { compat: "yaml-1.1" }).schema;
  return [...tags, ...(compat ?? [])].flatMap((tag) =>
    "test" in tag && tag.test !== undefined && tag.default ? [tag.test] : [],
  );
}
