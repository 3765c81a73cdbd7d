// Regular expressions with RE2's syntax and guarantees: matching takes time linear in the text, whatever the pattern.
import { RE2JS } from "re2js";
import { type FunctionDecl, global, member } from "../../language/overload.ts";
import { BOOL, INT, listOf, STRING } from "../../language/types.ts";
import { CelError } from "../../values/cel-error.ts";
import { ArrayList } from "../../values/collections.ts";
import type { Value } from "../../values/value.ts";
import { intAt, textAt } from "../args.ts";

const CACHE_MAX = 512;
const compiled = new Map<string, RE2JS>();

/** What is wrong with a pattern, in the words of Go's regexp package; undefined if it compiles. */
export function patternProblem(pattern: string): string | undefined {
  try {
    compilePattern(pattern);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function compilePattern(pattern: string): RE2JS {
  const known = compiled.get(pattern);
  if (known) return known;
  const fresh = RE2JS.compile(pattern);
  if (compiled.size >= CACHE_MAX) compiled.clear();
  compiled.set(pattern, fresh);
  return fresh;
}

function matches(args: readonly Value[]): Value {
  const text = textAt(args, 0);
  const pattern = textAt(args, 1);
  const problem = patternProblem(pattern);
  if (problem !== undefined) throw new CelError(problem);
  return compilePattern(pattern).matcher(text).find();
}

function patternAt(args: readonly Value[], index: number): RE2JS {
  const pattern = textAt(args, index);
  const problem = patternProblem(pattern);
  if (problem !== undefined) throw new CelError(`Illegal regex: ${problem}`);
  return compilePattern(pattern);
}

function find(args: readonly Value[]): Value {
  const matcher = patternAt(args, 1).matcher(textAt(args, 0));
  return matcher.find() ? (matcher.group() ?? "") : "";
}

function findAll(args: readonly Value[], limit: bigint): Value {
  const matcher = patternAt(args, 1).matcher(textAt(args, 0));
  const found: Value[] = [];
  while ((limit < 0n || BigInt(found.length) < limit) && matcher.find()) found.push(matcher.group() ?? "");
  return new ArrayList(found);
}

export function regularExpressionFunctions(): FunctionDecl[] {
  const strings = listOf(STRING);
  return [
    {
      name: "matches",
      overloads: [
        global("matches", [STRING, STRING], BOOL, matches),
        member("matches_string", [STRING, STRING], BOOL, matches),
      ],
    },
    { name: "find", overloads: [member("string_find_string", [STRING, STRING], STRING, find)] },
    {
      name: "findAll",
      overloads: [
        member("string_find_all_string", [STRING, STRING], strings, (args) => findAll(args, -1n)),
        member("string_find_all_string_int", [STRING, STRING, INT], strings, (args) =>
          findAll(args, intAt(args, 2)),
        ),
      ],
    },
  ];
}
