// Helpers for CEL tests: texts in, texts out.

import {
  compileExpression,
  type Expression,
  environmentOf,
} from "../../../../src/apimachinery/cel/evaluate.ts";
import {
  BOOL,
  type CelType,
  DOUBLE,
  DYN,
  INT,
  listOf,
  mapOf,
  STRING,
} from "../../../../src/apimachinery/cel/language/types.ts";
import { ArrayList, itemsOf } from "../../../../src/apimachinery/cel/values/collections.ts";
import {
  isList,
  isMap,
  Optional,
  TypeValue,
  Uint,
  type Value,
} from "../../../../src/apimachinery/cel/values/value.ts";
import type { JsonObject } from "../../../../src/apimachinery/json/json.ts";
import { describeFieldError } from "../../../../src/apimachinery/meta/field-error.ts";
import { compileSchema } from "../../../../src/apimachinery/schema/compile-schema.ts";
import { validateRuleDeclarations } from "../../../../src/apimachinery/schema/rules/compile-rules.ts";
import { validateRules } from "../../../../src/apimachinery/schema/rules/validate-rules.ts";

/** Variables that expressions of the tests may use, with their values. */
const VARIABLES: readonly [string, CelType, Value][] = [
  ["s", STRING, "héllo"],
  ["n", INT, 5n],
  ["f", DOUBLE, 2.5],
  ["b", BOOL, true],
  ["list", listOf(STRING), new ArrayList(["a", "b", "c"])],
  ["numbers", listOf(INT), new ArrayList([3n, 1n, 2n])],
  ["empty", listOf(INT), new ArrayList([])],
  ["d", DYN, "text"],
  ["m", mapOf(STRING, INT), null],
];
const environment = environmentOf(new Map(VARIABLES.map(([name, type]) => [name, type])));
const values = VARIABLES.map(([name, , value]) => (name === "m" ? makeMap() : value));

function makeMap(): Value {
  const made = compiled('{"a": 1, "b": 2}').evaluate([]).value;
  if (made === undefined) throw new Error("no map");
  return made;
}

export function compiled(text: string): Expression {
  const expression = compileExpression(text, environment);
  if ("problem" in expression) throw new Error(expression.problem);
  return expression;
}

/** The value of an expression as text, or "error: " and why it has none. */
export function resultOf(text: string): string {
  const { value, error } = compiled(text).evaluate(values);
  return value === undefined ? `error: ${error}` : show(value);
}

export const costOf = (text: string): number => compiled(text).evaluate(values).cost;

/** What is wrong with an expression, one line for each problem, without the excerpts of the source. */
export function problemsOf(text: string): string[] {
  const expression = compileExpression(text, environment);
  if (!("problem" in expression)) return [];
  return expression.problem
    .split("\n")
    .filter((line) => line.startsWith("ERROR: <input>:"))
    .map((line) => line.slice("ERROR: <input>:".length));
}

function show(value: Value): string {
  if (typeof value === "string") return JSON.stringify(value);
  if (typeof value === "number") return Number.isInteger(value) ? value.toFixed(1) : String(value);
  if (value instanceof Uint) return `${value.value}u`;
  if (value instanceof Uint8Array) return `b"${Buffer.from(value).toString()}"`;
  if (value instanceof Optional) return value.value === undefined ? "none" : `optional(${show(value.value)})`;
  if (value instanceof TypeValue) return value.type.name;
  if (isList(value)) return `[${itemsOf(value).map(show).join(", ")}]`;
  if (isMap(value)) {
    return `{${[...value.keys()].map((key) => `${show(key)}: ${show(value.find(key) ?? null)}`).join(", ")}}`;
  }
  return typeof value === "object" && value !== null ? value.constructor.name : String(value);
}

/** What the rules of a schema say of an object, as the message of a Status lists it. */
export const findingsOf = (schema: JsonObject, object: unknown, old?: unknown): string[] =>
  validateRules(compileSchema(schema), object, old).map(describeFieldError);

/** What creation of a CRD says of the rules of a schema, with paths relative to the schema. */
export const declarationsOf = (schema: JsonObject): string[] =>
  validateRuleDeclarations(schema, "schema").map(describeFieldError);
