// May a CustomResourceDefinition have this schema? The findings come in the order of a real server: what keeps the schema
// from being structural, else what is wrong with its defaults; then keywords that may not stand there. CEL rules are
// compiled elsewhere, and only when nothing is found here.
import { type FieldError, forbidden } from "../meta/field-error.ts";
import { isObject } from "../meta/json.ts";
import type { JsonSchema } from "./schema-node.ts";
import { type DefaultRules, validateDefaults } from "./structural/defaults.ts";
import { validateInvariants } from "./structural/invariants.ts";
import { validateKeywords } from "./structural/keywords.ts";
import { validateRootFields } from "./structural/root-fields.ts";

export interface StructuralOptions {
  /** There is a status subresource, which narrows what may stand at the root. */
  readonly hasStatus?: boolean;
  /** The CEL rules at the place of a default, which it must fulfil. */
  readonly defaultRules?: DefaultRules;
}

/** Everything that is wrong with a schema; fieldPath is that of openAPIV3Schema. */
export function validateStructuralSchema(
  raw: JsonSchema,
  fieldPath: string,
  { defaultRules, hasStatus = false }: StructuralOptions = {},
): FieldError[] {
  const errors = hasStatus ? validateRootFields(raw, fieldPath) : [];
  if (raw["nullable"] === true) {
    errors.push(forbidden(`${fieldPath}.nullable`, "nullable cannot be true at the root"));
  }
  if (isConvertible(raw)) {
    const invariants = validateInvariants(raw, fieldPath);
    errors.push(...(invariants.length > 0 ? invariants : validateDefaults(raw, fieldPath, defaultRules)));
  }
  errors.push(...validateKeywords(raw, fieldPath));
  return errors;
}

const INCONVERTIBLE = ["id", "$schema", "$ref", "patternProperties", "dependencies", "definitions"];

/** A schema with certain keywords is not looked at further: validateKeywords names them. */
function isConvertible(raw: JsonSchema): boolean {
  if (INCONVERTIBLE.some((keyword) => isGiven(raw[keyword]))) return false;
  if (raw["additionalItems"] !== undefined || Array.isArray(raw["items"])) return false;
  if (raw["x-kubernetes-preserve-unknown-fields"] === false) return false;
  return partsOf(raw).every(isConvertible);
}

const isGiven = (value: unknown): boolean =>
  value !== undefined && value !== "" && !(isObject(value) && Object.keys(value).length === 0);

function partsOf(raw: JsonSchema): JsonSchema[] {
  const { properties, items, additionalProperties, not, allOf, anyOf, oneOf } = raw;
  const parts: unknown[] = [items, additionalProperties, not];
  if (isObject(properties)) parts.push(...Object.values(properties));
  for (const branches of [allOf, anyOf, oneOf]) if (Array.isArray(branches)) parts.push(...branches);
  return parts.filter(isObject);
}
