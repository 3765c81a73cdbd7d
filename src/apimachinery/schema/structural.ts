// Validates the schema of a CustomResourceDefinition. Findings are in upstream's order: reasons why the schema is not
// structural, else errors of its defaults; then unsupported keywords; then, for a structural schema, the CEL rules.

import { isObject } from "../json/json.ts";
import { type FieldError, forbidden, invalid } from "../meta/field-error.ts";
import { append } from "../meta/lists.ts";
import { type JsonSchema, partsOf } from "./schema-node.ts";
import { type DefaultRules, validateDefaults } from "./structural/defaults.ts";
import { validateInvariants } from "./structural/invariants.ts";
import { validateKeywords } from "./structural/keywords.ts";
import { validateRootFields } from "./structural/root-fields.ts";

export interface StructuralOptions {
  /** The CRD has a status subresource, which restricts the root's keywords. */
  readonly hasStatus?: boolean;
  /** Evaluates the CEL rules at the position of a default, which must satisfy them. */
  readonly defaultRules?: DefaultRules;
  /** Errors of the CEL rules; those at faulty positions are not compiled. */
  readonly rules?: (faulty: ReadonlySet<string>) => readonly FieldError[];
}

/** All errors of a schema; fieldPath is that of openAPIV3Schema. */
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
  // The one keyword that no other check covers: upstream rejects it while it decodes the schema.
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

/** A schema with one of these keywords is not validated further: validateKeywords reports them. */
function hasInconvertible(raw: JsonSchema): boolean {
  if (INCONVERTIBLE.some((keyword) => isGiven(raw[keyword]))) return true;
  if (raw["additionalItems"] !== undefined || Array.isArray(raw["items"])) return true;
  return raw["x-kubernetes-preserve-unknown-fields"] === false;
}

/** Reports whether a predicate holds for the schema or one inside of it. */
function someSchema(raw: JsonSchema, isSo: (schema: JsonSchema) => boolean): boolean {
  return isSo(raw) || [...partsOf(raw)].some(({ part }) => someSchema(part, isSo));
}

const isGiven = (value: unknown): boolean =>
  value !== undefined && value !== "" && !(isObject(value) && Object.keys(value).length === 0);
