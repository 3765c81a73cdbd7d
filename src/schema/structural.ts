// May a CustomResourceDefinition have this schema? The findings come in the order of a real server: what keeps the schema
// from being structural, else what is wrong with its defaults; then keywords that may not stand there, and then the CEL
// rules, of a schema that is structural.

import { type FieldError, forbidden, invalid } from "../meta/field-error.ts";
import { isObject } from "../meta/json.ts";
import { append } from "../meta/lists.ts";
import { type JsonSchema, partsOf } from "./schema-node.ts";
import { type DefaultRules, validateDefaults } from "./structural/defaults.ts";
import { validateInvariants } from "./structural/invariants.ts";
import { validateKeywords } from "./structural/keywords.ts";
import { validateRootFields } from "./structural/root-fields.ts";

export interface StructuralOptions {
  /** There is a status subresource, which narrows what may stand at the root. */
  readonly hasStatus?: boolean;
  /** The CEL rules at the place of a default, which it must fulfil. */
  readonly defaultRules?: DefaultRules;
  /** What is wrong with the CEL rules; at faulty places they are not compiled. */
  readonly rules?: (faulty: ReadonlySet<string>) => readonly FieldError[];
}

/** Everything that is wrong with a schema; fieldPath is that of openAPIV3Schema. */
export function validateStructuralSchema(
  raw: JsonSchema,
  fieldPath: string,
  { defaultRules, rules, hasStatus = false }: StructuralOptions = {},
): FieldError[] {
  const errors = hasStatus ? validateRootFields(raw, fieldPath) : [];
  if (raw["nullable"] === true) {
    errors.push(forbidden(`${fieldPath}.nullable`, "nullable cannot be true at the root"));
  }
  const isInconvertible = someSchema(raw, hasInconvertible);
  const unsound = isInconvertible ? [] : unsoundness(raw, fieldPath, defaultRules);
  const { errors: ofKeywords, faulty } = validateKeywords(raw, fieldPath);
  append(errors, unsound, ofKeywords);
  if (rules && !isInconvertible && unsound.length === 0) append(errors, rules(faulty));
  // The one keyword that nobody else complains of: a real server notices it when it reads the schema.
  if (errors.length === 0 && someSchema(raw, ({ $schema }) => isGiven($schema))) {
    errors.push(invalid(fieldPath, "", "OpenAPIV3Schema 'schema' is not supported"));
  }
  return errors;
}

function unsoundness(
  raw: JsonSchema,
  fieldPath: string,
  defaultRules: DefaultRules | undefined,
): FieldError[] {
  const invariants = validateInvariants(raw, fieldPath);
  return invariants.length > 0 ? invariants : validateDefaults(raw, fieldPath, defaultRules);
}

const INCONVERTIBLE = ["id", "$schema", "$ref", "patternProperties", "dependencies", "definitions"];

/** A schema with certain keywords is not looked at further: validateKeywords names them. */
function hasInconvertible(raw: JsonSchema): boolean {
  if (INCONVERTIBLE.some((keyword) => isGiven(raw[keyword]))) return true;
  if (raw["additionalItems"] !== undefined || Array.isArray(raw["items"])) return true;
  return raw["x-kubernetes-preserve-unknown-fields"] === false;
}

/** Whether it is so of the schema or of one inside of it. */
function someSchema(raw: JsonSchema, isSo: (schema: JsonSchema) => boolean): boolean {
  return isSo(raw) || [...partsOf(raw)].some(({ part }) => someSchema(part, isSo));
}

const isGiven = (value: unknown): boolean =>
  value !== undefined && value !== "" && !(isObject(value) && Object.keys(value).length === 0);
