// The condition of a wait: an expression of the language that rules of schemas are written in (CEL), over the queries
// by their names.

import { compileExpression, environmentOf } from "../../cel/evaluate.ts";
import { DYN } from "../../cel/language/types.ts";
import { valueOfJson } from "../../cel/values/json.ts";
import { badRequest } from "../../meta/status.ts";

const TEXT_LENGTH_MAX = 10_000;
const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** True, or why it does not hold: false, or what went wrong while it was evaluated. */
export type Verdict = true | "false" | `error: ${string}`;

/** Says whether it holds for these values, which stand in the order of the variables. */
export type Condition = (values: readonly unknown[]) => Verdict;

/** Throws a 400 that says where the text is wrong. */
export function compileCondition(text: string, variables: readonly string[]): Condition {
  if (text.length > TEXT_LENGTH_MAX) throw badRequest(`the condition is longer than ${TEXT_LENGTH_MAX}`);
  for (const name of variables) {
    if (!VARIABLE.test(name)) throw badRequest(`${name} cannot be a name in a condition`);
  }
  const compiled = compileExpression(text, environmentOf(new Map(variables.map((name) => [name, DYN]))));
  if ("problem" in compiled) throw badRequest(`the condition is no CEL expression: ${compiled.problem}`);
  const { kind, name } = compiled.type;
  if (kind !== "bool" && kind !== "dyn") {
    throw badRequest(`the condition gives ${name}, and not true or false`);
  }
  return (values) => {
    const { value, error } = compiled.evaluate(values.map(valueOfJson));
    if (error !== undefined) return `error: ${error}`;
    if (typeof value !== "boolean") return "error: the condition gives neither true nor false";
    return value || "false";
  };
}
