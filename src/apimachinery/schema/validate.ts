// Value validation of custom resources. ajv decides whether a value is valid. Only for an invalid value a walk collects
// the findings, with upstream's texts and order. The walk decides finally, because upstream accepts some values that JSON
// Schema rejects: integers beyond 2^53, and invalid values that did not change.
import { Ajv, type AnySchemaObject, type KeywordDefinition } from "ajv";
import { compilePattern } from "../go/pattern.ts";
import type { FieldError } from "../meta/field-error.ts";
import type { FormatCheck } from "./formats.ts";
import type { SchemaNode } from "./schema-node.ts";
import { isEnumerated, numberErrors } from "./value/check-type.ts";
import { type ValueSchema, valueSchema } from "./value/value-schema.ts";
import { explainValue } from "./value/walk.ts";

export interface ValidateOptions {
  /** The value before an update: invalid values that did not change are tolerated (ratcheting). */
  readonly old?: unknown;
  /** Field of the value: "" for an object, "status" for the status alone. */
  readonly field?: string;
  /** The schema is used once, so compiling it for ajv does not pay off. */
  readonly once?: boolean;
}

/** Validates a value by the node's schema as written. */
export function validateSchema(
  node: SchemaNode,
  value: unknown,
  { old, field = "", once = false }: ValidateOptions = {},
): FieldError[] {
  const schema = valueSchema(node.raw);
  const asksAjv = !once && schema.size <= AJV_SCHEMAS_MAX;
  return asksAjv && isCertainlyValid(schema, value) ? [] : explainValue(schema, value, { root: field, old });
}

/** ajv takes about 0.4 ms to compile each nested schema, and beyond some size it overflows the stack. */
const AJV_SCHEMAS_MAX = 250;

type YesOrNo = (value: unknown) => boolean;

const checks = new WeakMap<ValueSchema, YesOrNo>();

/** Result of ajv, compiled on first use, since most schemas of a run are never used. */
export function isCertainlyValid(schema: ValueSchema, value: unknown): boolean {
  let check = checks.get(schema);
  if (check === undefined) {
    check = compile(schema);
    checks.set(schema, check);
  }
  return check(value);
}

function compile(schema: ValueSchema): YesOrNo {
  try {
    // One instance per schema: an instance keeps all compiled schemas, and CRDs are added and removed.
    const check = createAjv().compile(toAjvSchema(schema));
    return (value) => check(value) === true;
  } catch {
    return () => false; // ajv does not support the schema, or the schema is invalid, which is reported elsewhere
  }
}

const regExp = Object.assign((source: string) => compilePattern(source), { code: "compilePattern" });

function createAjv(): Ajv {
  return new Ajv({
    strict: false,
    validateSchema: false,
    validateFormats: false,
    ownProperties: true,
    logger: false,
    meta: false,
    messages: false,
    code: { regExp },
    keywords: [...KEYWORDS],
  });
}

// Value validation as a JSON Schema for ajv, which returns a fast yes or no. Standard keywords are used where they match
// upstream's checks exactly; custom keywords (KEYWORDS) elsewhere. A value that ajv accepts has no findings in walk.ts.
// Of all others walk.ts collects the findings, or finds none.

const NUMBER_KEYWORD = "egretNumber";
const ENUM_KEYWORD = "egretEnum";
const FORMAT_KEYWORD = "egretFormat";

const NO_FIELDS = { field: "", whole: "" };

const KEYWORDS: readonly KeywordDefinition[] = [
  {
    keyword: NUMBER_KEYWORD,
    errors: false,
    compile: (rule: { schema: ValueSchema }) => (value: unknown) => {
      if (typeof value !== "number" && typeof value !== "bigint") return true;
      return numberErrors(rule.schema, value, "", NO_FIELDS).length === 0;
    },
  },
  {
    keyword: ENUM_KEYWORD,
    errors: false,
    compile: (values: readonly unknown[]) => (value: unknown) => isEnumerated(values, value),
  },
  {
    keyword: FORMAT_KEYWORD,
    errors: false,
    type: "string",
    compile: (rule: { check: FormatCheck }) => (text: string) => rule.check(text),
  },
];

/** Keywords that ajv checks as upstream does. */
const CHECKED_ALIKE = [
  "minLength",
  "maxLength",
  "pattern",
  "minItems",
  "maxItems",
  "minProperties",
  "maxProperties",
] as const;

/** Throws where ajv cannot check this schema. */
function toAjvSchema(schema: ValueSchema): AnySchemaObject {
  const out: AnySchemaObject = {};
  addTypes(schema, out);
  for (const keyword of CHECKED_ALIKE) if (schema[keyword] !== undefined) out[keyword] = schema[keyword];
  if (schema.matchesFormat !== undefined) out[FORMAT_KEYWORD] = { check: schema.matchesFormat };
  if (schema.uniqueItems) out["uniqueItems"] = true;
  addEnum(schema, out);
  addNumber(schema, out);
  addMembers(schema, out);
  addAlternatives(schema, out);
  return out;
}

function addTypes(schema: ValueSchema, out: AnySchemaObject): void {
  const { types, format, nullable } = schema;
  if (types.length === 0 && format === "") return;
  const allowed = new Set(types);
  if (format !== "" && !types.includes("integer") && !types.includes("number")) {
    allowed.add("string").add("array");
  }
  if (nullable || types.length === 0) allowed.add("null");
  out["type"] = [...allowed];
}

function addEnum({ enumValues, types, nullable }: ValueSchema, out: AnySchemaObject): void {
  if (enumValues === undefined) return;
  const isPlain = types[0] === "string" && enumValues.every((value) => typeof value === "string");
  if (isPlain && !nullable) out["enum"] = [...new Set(enumValues)];
  else out[ENUM_KEYWORD] = enumValues;
}

function addNumber(schema: ValueSchema, out: AnySchemaObject): void {
  const { types, format, minimum, maximum, multipleOf } = schema;
  const isInteger = types.length === 1 && types[0] === "integer";
  if (types.includes("integer")) {
    // Beyond these limits an integer is a bigint, and a double is not an integer upstream.
    out["minimum"] = Number.MIN_SAFE_INTEGER;
    out["maximum"] = Number.MAX_SAFE_INTEGER;
    if (isInteger && addIntegerBounds(schema, out)) return;
  }
  const isBounded = minimum !== undefined || maximum !== undefined || multipleOf !== undefined;
  if (isInteger || format === "float" || isBounded) out[NUMBER_KEYWORD] = { schema };
}

const INT32_MAX = 2 ** 31 - 1;

/** An integer between integer bounds: the common case, for which ajv's own keywords suffice. */
function addIntegerBounds(schema: ValueSchema, out: AnySchemaObject): boolean {
  const { minimum, maximum, multipleOf, exclusiveMinimum, exclusiveMaximum, format } = schema;
  const limit = format === "int32" ? INT32_MAX : Number.MAX_SAFE_INTEGER;
  const lowest = format === "int32" ? -INT32_MAX - 1 : -limit;
  const isPlain = (bound: number | undefined): boolean =>
    bound === undefined || (Number.isInteger(bound) && bound >= lowest && bound <= limit);
  if (multipleOf !== undefined || !isPlain(minimum) || !isPlain(maximum)) return false;
  out["minimum"] = minimum === undefined ? lowest : minimum + (exclusiveMinimum ? 1 : 0);
  out["maximum"] = maximum === undefined ? limit : maximum - (exclusiveMaximum ? 1 : 0);
  return true;
}

function addMembers(schema: ValueSchema, out: AnySchemaObject): void {
  const { required, properties, additionalProperties, items } = schema;
  if (required.length > 0) out["required"] = [...new Set(required)];
  if (properties.has("__proto__") || required.includes("__proto__")) throw new Error("ajv passes it over");
  if (properties.size > 0) {
    const members = [...properties].map(([key, property]) => [key, toAjvSchema(property)] as const);
    out["properties"] = Object.fromEntries(members);
  }
  if (typeof additionalProperties === "boolean") out["additionalProperties"] = additionalProperties;
  else if (additionalProperties !== undefined)
    out["additionalProperties"] = toAjvSchema(additionalProperties);
  if (items !== undefined) out["items"] = toAjvSchema(items);
}

/** A null is not checked against alternatives. */
function addAlternatives(schema: ValueSchema, out: AnySchemaObject): void {
  const { allOf, anyOf, oneOf, not, types, nullable } = schema;
  const alternatives: AnySchemaObject = {};
  for (const [keyword, branches] of Object.entries({ allOf, anyOf, oneOf }))
    if (branches.length > 0) alternatives[keyword] = branches.map(toAjvSchema);
  if (not !== undefined) alternatives["not"] = toAjvSchema(not);
  if (Object.keys(alternatives).length === 0) return;
  if (nullable || types.length === 0) out["anyOf"] = [{ type: "null" }, alternatives];
  else Object.assign(out, alternatives);
}
