// What can be said about constants once the types fit: patterns, durations and timestamps must be readable, and
// lists and maps must not mix types.

import { parseGoDuration } from "../../go/duration.ts";
import { parseRfc3339 } from "../../go/time.ts";
import { append } from "../../meta/lists.ts";
import { patternProblem } from "../library/strings.ts";
import { type CallExpr, type Expr, walk } from "./ast.ts";
import type { Issue } from "./source.ts";
import { type CelType, DYN, formatType, sameType, unwrapOptional } from "./types.ts";

/** The functions whose constant argument is read, in the order in which they are looked at. */
const READERS: readonly (readonly [string, (text: string) => boolean])[] = [
  ["duration", (text) => parseGoDuration(text) !== undefined],
  ["timestamp", (text) => parseRfc3339(text) !== undefined],
  ["matches", (text) => patternProblem(text) === undefined],
];

export function checkLiterals(root: Expr): Issue[] {
  const issues: Issue[] = [];
  for (const [fn, reads] of READERS) {
    walk(root, (expr) => {
      const text = expr.kind === "call" && expr.fn === fn ? constantText(expr) : undefined;
      if (text && !reads(text.value)) issues.push({ offset: text.offset, message: `invalid ${fn} argument` });
    });
  }
  walk(root, (expr, parents) => {
    if (expr.kind === "list" && !isFormatArgument(parents)) append(issues, checkList(expr));
  });
  walk(root, (expr, parents) => {
    if (expr.kind === "map" && !isFormatArgument(parents)) append(issues, checkMap(expr));
  });
  return issues;
}

/** The constant text that a call reads: the first argument after the receiver. */
function constantText(expr: CallExpr): { value: string; offset: number } | undefined {
  const arg = expr.args[0];
  return arg?.kind === "literal" && typeof arg.value === "string"
    ? { value: arg.value, offset: arg.offset }
    : undefined;
}

/** Inside of format([…]) types may be mixed. */
function isFormatArgument(parents: readonly Expr[]): boolean {
  const parent = parents.at(-1);
  if (parent?.kind === "call") return parent.fn === "format";
  if (parent?.kind !== "list" && parent?.kind !== "map") return false;
  return isFormatArgument(parents.slice(0, -1));
}

const mismatch = (offset: number, expected: CelType, actual: CelType): Issue => ({
  offset,
  message: `expected type '${formatType(expected)}' but found '${formatType(actual)}'`,
});

const typeOf = (expr: Expr, optional: boolean): CelType => {
  const type = expr.type ?? DYN;
  return optional ? (unwrapOptional(type) ?? type) : type;
};

function checkList(expr: Extract<Expr, { kind: "list" }>): Issue[] {
  const [first] = expr.items;
  if (!first) return [];
  const expected = typeOf(first, expr.optional.has(0));
  const other = expr.items.findIndex(
    (item, index) => !sameType(typeOf(item, expr.optional.has(index)), expected),
  );
  const item = expr.items[other];
  return item ? [mismatch(item.offset, expected, typeOf(item, expr.optional.has(other)))] : [];
}

function checkMap(expr: Extract<Expr, { kind: "map" }>): Issue[] {
  const [first, ...rest] = expr.entries;
  if (!first) return [];
  const keys = typeOf(first.key, false);
  const values = typeOf(first.value, first.optional);
  return rest.flatMap(({ key, value, optional }) => {
    const issues: Issue[] = [];
    if (!sameType(typeOf(key, false), keys)) issues.push(mismatch(key.offset, keys, typeOf(key, false)));
    const type = typeOf(value, optional);
    if (!sameType(type, values)) issues.push(mismatch(value.offset, values, type));
    return issues;
  });
}
