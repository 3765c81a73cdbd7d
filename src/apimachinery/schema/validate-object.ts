// Validation of a custom resource, in upstream's order: the caller's findings about metadata, value validation, scale
// paths, embedded resources, list types, and CEL rules. The rules run only when no earlier finding could break them.

import { isObject, type JsonObject } from "../json/json.ts";
import { type FieldError, type FieldErrorReason, invalid } from "../meta/field-error.ts";
import { append } from "../meta/lists.ts";
import { validateEmbedded } from "./embedded.ts";
import { validateListTypes } from "./list-types.ts";
import { isSomewhere, type SchemaNode } from "./schema-node.ts";
import { validateSchema } from "./validate.ts";
import { type ScalePaths, validateScale } from "./validate-scale.ts";

/** CEL rules of a schema; see rules/validate-rules.ts. */
export type RuleValidator = (
  node: SchemaNode,
  object: unknown,
  old: unknown,
  options?: { root?: string },
) => FieldError[];

export interface ObjectValidation {
  /** The object before an update; left out at creation. */
  readonly old?: JsonObject | undefined;
  /** A write to /status: only the schema of the status applies. */
  readonly statusOnly?: boolean;
  /** Findings about metadata: they come first, and may prevent the rules from running. */
  readonly preceding?: readonly FieldError[];
  readonly scale?: ScalePaths | undefined;
  readonly validateRules: RuleValidator;
}

/** All findings about a custom resource, including the preceding ones. */
export function validateObject(
  node: SchemaNode,
  object: JsonObject,
  options: ObjectValidation,
): FieldError[] {
  const { old, statusOnly = false, preceding = [], scale, validateRules } = options;
  const errors = [...preceding];
  if (statusOnly) append(errors, validateStatus(node, object, old));
  else append(errors, validateSchema(node, object, { old }));
  if (scale !== undefined) append(errors, validateScale(object, scale, { statusOnly }));
  if (!statusOnly) append(errors, validateEmbedded(node, object));
  const ofLists = validateListTypes(node, object);
  // Duplicates are tolerated if the old object has any.
  if (ofLists.length > 0 && (old === undefined || validateListTypes(node, old).length === 0)) {
    append(errors, ofLists);
  }
  if (!hasRules(node)) return errors;
  if (errors.some(({ reason }) => BLOCKING.has(reason))) errors.push(RULES_NOT_CHECKED);
  else append(errors, validateRules(node, object, old));
  return errors;
}

function validateStatus(node: SchemaNode, object: JsonObject, old: JsonObject | undefined): FieldError[] {
  const status = node.properties.get("status");
  if (status === undefined || !Object.hasOwn(object, "status")) return [];
  return validateSchema(status, object["status"], { old: old?.["status"], field: "status" });
}

const BLOCKING: ReadonlySet<FieldErrorReason> = new Set([
  "FieldValueNotSupported",
  "FieldValueRequired",
  "FieldValueTooLong",
  "FieldValueTooMany",
  "FieldValueTypeInvalid",
]);

const RULES_NOT_CHECKED = invalid(
  "",
  null,
  "some validation rules were not checked because the object was invalid; correct the existing errors to complete validation",
);

/** True if the node or one below it has CEL rules. */
export const hasRules = isSomewhere(({ raw }) => {
  const rules = isObject(raw) ? raw["x-kubernetes-validations"] : undefined;
  return Array.isArray(rules) && rules.length > 0;
});
