// Functions on texts. Positions count code points.

import { goQuote } from "../../go/strconv.ts";
import { type FunctionDecl, global, member } from "../language/overload.ts";
import { BOOL, DYN, INT, listOf, STRING } from "../language/types.ts";
import { CelError, CostExceeded } from "../values/cel-error.ts";
import { ArrayList, itemsOf } from "../values/collections.ts";
import { lengthOf } from "../values/inspect.ts";
import type { Value } from "../values/value.ts";
import { intAt, listAt, textAt } from "./args.ts";
import { TEXT_MAX, toText } from "./arithmetic.ts";
import { formatText } from "./string-format.ts";

type Args = readonly Value[];
const STRINGS = listOf(STRING);
/** Go's notion of white space (unicode.IsSpace). */
const TRIM =
  /^[\t\n\v\f\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+|[\t\n\v\f\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+$/g;

export const trimSpace = (text: string): string => text.replace(TRIM, "");

const outOfRange = (index: bigint): CelError => new CelError(`index out of range: ${index}`);

function charAt(args: Args): Value {
  const points = Array.from(textAt(args, 0));
  const index = intAt(args, 1);
  if (index < 0n || index > BigInt(points.length)) throw outOfRange(index);
  return points[Number(index)] ?? "";
}

/** A position in code points from one in UTF-16 units. */
const pointIndex = (text: string, unit: number): bigint =>
  unit < 0 ? -1n : BigInt(lengthOf(text.slice(0, unit)));

const unitIndex = (text: string, point: bigint): number =>
  Array.from(text).slice(0, Number(point)).join("").length;

function indexOf(args: Args): Value {
  const text = textAt(args, 0);
  const part = textAt(args, 1);
  const from = args.length > 2 ? intAt(args, 2) : 0n;
  if (part === "") return from;
  if (args.length === 2 && text === "") return -1n;
  if (from < 0n || from >= BigInt(lengthOf(text))) throw outOfRange(from);
  return pointIndex(text, text.indexOf(part, unitIndex(text, from)));
}

function lastIndexOf(args: Args): Value {
  const text = textAt(args, 0);
  const part = textAt(args, 1);
  const length = BigInt(lengthOf(text));
  if (args.length === 2) {
    if (part === "") return length;
    return lengthOf(part) > length ? -1n : pointIndex(text, text.lastIndexOf(part));
  }
  const from = intAt(args, 2);
  if (part === "") return from;
  if (from < 0n || from >= length) throw outOfRange(from);
  return pointIndex(text, text.lastIndexOf(part, unitIndex(text, from)));
}

function substring(args: Args): Value {
  const points = Array.from(textAt(args, 0));
  const length = BigInt(points.length);
  const start = intAt(args, 1);
  const end = args.length > 2 ? intAt(args, 2) : length;
  if (args.length > 2 && start > end) {
    throw new CelError(`invalid substring range. start: ${start}, end: ${end}`);
  }
  if (start < 0n || start > length) throw outOfRange(start);
  if (end < 0n || end > length) throw outOfRange(end);
  return points.slice(Number(start), Number(end)).join("");
}

function replace(args: Args): Value {
  const text = textAt(args, 0);
  const old = textAt(args, 1);
  const fresh = textAt(args, 2);
  const limit = args.length > 3 ? intAt(args, 3) : -1n;
  const parts = old === "" ? ["", ...Array.from(text), ""] : text.split(old);
  const count = limit < 0n ? parts.length - 1 : Math.min(Number(limit), parts.length - 1);
  if (text.length + count * fresh.length > TEXT_MAX) throw new CostExceeded();
  const rest = parts.slice(count).join(old);
  return count === 0 ? text : parts.slice(0, count).join(fresh) + fresh + rest;
}

function split(args: Args): Value {
  const text = textAt(args, 0);
  const separator = textAt(args, 1);
  const limit = args.length > 2 ? intAt(args, 2) : -1n;
  if (limit === 0n) return new ArrayList([]);
  const parts = separator === "" ? Array.from(text) : text.split(separator);
  if (limit < 0n || BigInt(parts.length) <= limit) return new ArrayList(parts);
  const kept = Number(limit) - 1;
  return new ArrayList([...parts.slice(0, kept), parts.slice(kept).join(separator)]);
}

function join(args: Args): Value {
  const parts = itemsOf(listAt(args, 0));
  const separator = args.length > 1 ? textAt(args, 1) : "";
  let size = 0;
  for (let index = 0; index < parts.length; index++) size += textAt(parts, index).length + separator.length;
  if (size > TEXT_MAX) throw new CostExceeded();
  return parts.join(separator);
}

/** Of two texts, without a check of types: what is no text gives "no such overload". */
function textTest(name: string, id: string, test: (text: string, part: string) => boolean): FunctionDecl {
  const run = (args: Args): Value => test(textAt(args, 0), textAt(args, 1));
  return { name, overloads: [member(id, [STRING, STRING], BOOL, run)] };
}

export function textTestFunctions(): FunctionDecl[] {
  return [
    textTest("contains", "contains_string", (text, part) => text.includes(part)),
    textTest("endsWith", "ends_with_string", (text, part) => text.endsWith(part)),
    textTest("startsWith", "starts_with_string", (text, part) => text.startsWith(part)),
  ];
}

export function stringFunctions(): FunctionDecl[] {
  const lower = (args: Args): Value => textAt(args, 0).replace(/[A-Z]+/g, (part) => part.toLowerCase());
  const upper = (args: Args): Value => textAt(args, 0).replace(/[a-z]+/g, (part) => part.toUpperCase());
  const search = (name: string, id: string, run: (args: Args) => Value): FunctionDecl => ({
    name,
    overloads: [
      member(`string_${id}_string`, [STRING, STRING], INT, run),
      member(`string_${id}_string_int`, [STRING, STRING, INT], INT, run),
    ],
  });
  return [
    { name: "charAt", overloads: [member("string_char_at_int", [STRING, INT], STRING, charAt)] },
    search("indexOf", "index_of", indexOf),
    search("lastIndexOf", "last_index_of", lastIndexOf),
    { name: "lowerAscii", overloads: [member("string_lower_ascii", [STRING], STRING, lower)] },
    { name: "upperAscii", overloads: [member("string_upper_ascii", [STRING], STRING, upper)] },
    {
      name: "replace",
      overloads: [
        member("string_replace_string_string", [STRING, STRING, STRING], STRING, replace),
        member("string_replace_string_string_int", [STRING, STRING, STRING, INT], STRING, replace),
      ],
    },
    {
      name: "split",
      overloads: [
        member("string_split_string", [STRING, STRING], STRINGS, split),
        member("string_split_string_int", [STRING, STRING, INT], STRINGS, split),
      ],
    },
    {
      name: "substring",
      overloads: [
        member("string_substring_int", [STRING, INT], STRING, substring),
        member("string_substring_int_int", [STRING, INT, INT], STRING, substring),
      ],
    },
    {
      name: "trim",
      overloads: [member("string_trim", [STRING], STRING, (args) => trimSpace(textAt(args, 0)))],
    },
    {
      name: "join",
      overloads: [
        member("list_join", [STRINGS], STRING, join),
        member("list_join_string", [STRINGS, STRING], STRING, join),
      ],
    },
    {
      name: "format",
      overloads: [
        member("string_format", [STRING, listOf(DYN)], STRING, (args) =>
          toText(formatText(textAt(args, 0), listAt(args, 1))),
        ),
      ],
    },
    {
      name: "strings.quote",
      overloads: [global("strings_quote", [STRING], STRING, (args) => goQuote(textAt(args, 0)))],
    },
  ];
}
