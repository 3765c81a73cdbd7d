// Checks of constants after type checking: patterns, durations and timestamps must be valid, and lists and maps must
// not mix types.

import { parseGoDuration } from "../../go/duration.ts";
import { patternError } from "../../go/pattern.ts";
import { parseRfc3339 } from "../../go/time.ts";
import { append } from "../../meta/lists.ts";
import { type CallExpr, type Expr, walk } from "./ast.ts";
import type { Issue } from "./source.ts";
import { DYN, formatType, sameType, unwrapOptional } from "./types.ts";

/** The functions whose constant argument is validated, in the order of the checks. */
const READERS: readonly (readonly [string, (text: string) => boolean])[] = [
  ["duration", (text) => parseGoDuration(text) !== undefined],
  ["timestamp", (text) => parseRfc3339(text) !== undefined],
  ["matches", (text) => patternError(text) === undefined],
];

export function checkLiterals(root: Expr): Issue[] {
  const issues: Issue[] = [];
  for (const [fn, reads] of READERS) {
    walk(root, (expr) => {
      const text = expr.kind === "call" && expr.fn === fn ? constantText(expr) : undefined;
      if (text && !reads(text.value)) issues.push({ offset: text.offset, message: `invalid ${fn} argument` });
    });
  }
  for (const kind of ["list", "map"]) {
    walk(root, (expr, parents) => {
      if (expr.kind === kind && !isFormatArgument(parents)) append(issues, mixedTypes(expr));
    });
  }
  return issues;
}

/** The constant text that a call parses: the first argument after the receiver. */
function constantText(expr: CallExpr): { value: string; offset: number } | undefined {
  const arg = expr.args[0];
  return arg?.kind === "literal" && typeof arg.value === "string"
    ? { value: arg.value, offset: arg.offset }
    : undefined;
}

/** The arguments of format([…]) may have mixed types. */
function isFormatArgument(parents: readonly Expr[]): boolean {
  const parent = parents.at(-1);
  if (parent?.kind === "call") return parent.fn === "format";
  if (parent?.kind !== "list" && parent?.kind !== "map") return false;
  return isFormatArgument(parents.slice(0, -1));
}

function mixedTypes(expr: Expr): Issue[] {
  if (expr.kind === "list") {
    const parts = expr.items.map((part, index) => ({ part, optional: expr.optional.has(index) }));
    return unlikeFirst(parts).slice(0, 1);
  }
  if (expr.kind !== "map") return [];
  const keys = unlikeFirst(expr.entries.map(({ key }) => ({ part: key, optional: false })));
  return [...keys, ...unlikeFirst(expr.entries.map(({ value, optional }) => ({ part: value, optional })))];
}

/** The parts whose types differ from that of the first. */
function unlikeFirst(parts: readonly { readonly part: Expr; readonly optional: boolean }[]): Issue[] {
  const typed = parts.map(({ part: { offset, type = DYN }, optional }) => ({
    offset,
    type: optional ? (unwrapOptional(type) ?? type) : type,
  }));
  const expected = typed[0]?.type ?? DYN;
  return typed
    .filter(({ type }) => !sameType(type, expected))
    .map(({ offset, type }) => ({
      offset,
      message: `expected type '${formatType(expected)}' but found '${formatType(type)}'`,
    }));
}
