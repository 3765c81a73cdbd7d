// A text in YAML, in the style that go-yaml chooses: bare; in double quotes where bare text would be read as something else or
// has signs that need an escape; in single ones where it could not be read at all; lines as a block.
import { Document } from "yaml";
import { lazy } from "../../meta/once-per.ts";
import { replaceMany } from "../../meta/texts.ts";

/** What a text is read as that stands bare: null, truth values, numbers, times; as older readers do it, too (yes and no). */
const typesOfOthers = lazy(otherTypes);
/** No number begins so, and words such as "false" are shorter. */
const SURELY_TEXT = /^[A-Za-z_/].{5}/;
/** Nothing in it can end or begin anything: bare, unless it is read as something else than a text. Quick for what is short. */
const PLAIN = /^[A-Za-z0-9_/](?:(?:[!-9;-~]| (?!#)|:(?! ))*[!-,.-9;-~])?$/;
/** A longer text is looked at by searches alone: a pattern that repeats takes 70 ns a letter. */
const PLAIN_LENGTH_MAX = 1000;
/** An indicator at the start, and what ends a key or begins a comment. */
const NOT_BARE = /^(?:[#,[\]{}&*!|>'"%@`]|---|\.\.\.|[?:-](?: |$)| )|:(?: |$)| #| $/;
/**
 * To go-yaml tabs and what is beyond 16 bits are not printable. That the separators of lines and paragraphs are escaped, too,
 * is safer than what it does: it has them end lines.
 */
const SPECIAL = /[^\n -~\u00a0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd]/;
/** Blanks before the end of a line, or of all, would be lost in a block. */
const NO_BLOCK = / (?:\n|$)/;

const isBare = (value: string): boolean =>
  SURELY_TEXT.test(value) || !typesOfOthers().some((type) => type.test(value));

/** Where a text stands; its lines but the first have to be set in by who writes it. */
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
