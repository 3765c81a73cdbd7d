// Defaults in a CRD: each must fit the schema of its position and contain no unknown fields. A default inside of an
// embedded resource's metadata must result in valid metadata.

import { cloneJson, isObject, type JsonObject, objectAt } from "../../json/json.ts";
import { encodeJson } from "../../json/json-encode.ts";
import { describeFieldError, type FieldError, invalid } from "../../meta/field-error.ts";
import { append } from "../../meta/lists.ts";
import { compileStructure } from "../compile-schema.ts";
import { findEmbeddedError, validateEmbedded, validateResource } from "../embedded.ts";
import { objectMetaError } from "../go/decode-error.ts";
import { pruneUnknownFields } from "../prune.ts";
import {
  childPath,
  hasDefault,
  isEmbedded,
  type JsonSchema,
  membersOf,
  propertyPath,
  type SchemaNode,
} from "../schema-node.ts";
import { validateSchema } from "../validate.ts";

/** Validates a default by the CEL rules of its position, after all other checks have passed. */
export type DefaultRules = (node: SchemaNode, value: unknown, path: string) => FieldError[];

/** Errors of the defaults in a structural schema. */
export function validateDefaults(raw: JsonSchema, path: string, rules?: DefaultRules): FieldError[] {
  const errors: FieldError[] = [];
  visit(raw, { path, isResource: true, insideMeta: false, surround: surroundRoot, rules }, errors);
  return errors;
}

/** Builds the resource around a value at the position. */
type Surround = (value: unknown) => JsonObject;

interface Place {
  readonly path: string;
  readonly isResource: boolean;
  readonly insideMeta: boolean;
  readonly surround: Surround;
  readonly rules: DefaultRules | undefined;
}

const TYPE_META = { apiVersion: "validation/v1", kind: "Validation" };
const META_FIELDS: ReadonlySet<string> = new Set(["apiVersion", "kind", "metadata"]);

const surroundRoot: Surround = (value) => ({ ...TYPE_META, ...(isObject(value) ? value : {}) });

function visit(raw: JsonSchema, outer: Place, errors: FieldError[]): void {
  const isResource = outer.isResource || isEmbedded(raw);
  const place = isResource ? { ...outer, insideMeta: false, surround: surroundRoot } : outer;
  if (hasDefault(raw)) append(errors, defaultErrors(raw, place));
  const { path, surround } = place;
  const items = objectAt(raw, "items");
  if (items !== undefined) {
    const below = { path: childPath(path, "items"), surround: (value: unknown) => surround([value]) };
    visit(items, { ...place, ...below, isResource: false }, errors);
  }
  for (const [key, property] of membersOf(raw).sort(byKey)) {
    const below = {
      path: propertyPath(path, key),
      isResource: false,
      insideMeta: place.insideMeta || (isResource && META_FIELDS.has(key)),
      surround: (value: unknown) => surround({ [key]: value }),
    };
    visit(property, { ...place, ...below }, errors);
  }
}

const byKey = ([a]: [string, unknown], [b]: [string, unknown]): number => (a < b ? -1 : 1);

function defaultErrors(raw: JsonSchema, place: Place): FieldError[] {
  const field = childPath(place.path, "default");
  const value = raw["default"];
  const node = compileStructure(raw);
  if (place.insideMeta) {
    const complaint = metadataComplaint(place.surround(cloneJson(value)));
    if (complaint !== undefined) {
      return [invalid(field, value, `must result in valid metadata: ${complaint}`)];
    }
    return validateSchema(node, value, { field, once: true });
  }
  const pruned = cloneJson(value);
  const unknown = pruneUnknownFields(node, pruned, { isResource: node.embeddedResource });
  const errors = unknown.length > 0 ? [invalid(field, value, "must not have unknown fields")] : [];
  return [...errors, ...valueErrors(node, value, field, place.rules)];
}

/** The first kind of check with a finding is the last one. */
function valueErrors(
  node: SchemaNode,
  value: unknown,
  field: string,
  rules: DefaultRules | undefined,
): FieldError[] {
  const unreadable = findEmbeddedError(node, value);
  if (unreadable !== undefined) return [invalid(field, value, unreadable)];
  const ofResources = validateEmbedded(node, value, field);
  if (ofResources.length > 0) return ofResources;
  const ofValue = validateSchema(node, value, { field, once: true });
  return ofValue.length > 0 ? ofValue : (rules?.(node, value, field) ?? []);
}

function metadataComplaint(resource: JsonObject): string | undefined {
  const error = objectMetaError(resource["metadata"]);
  if (error !== undefined) {
    return `metadata: Invalid value: ${encodeJson(resource["metadata"])}: ${error}`;
  }
  const texts = validateResource(resource, "").map(describeFieldError);
  if (texts.length === 0) return undefined;
  return texts.length === 1 ? texts[0] : `[${texts.join(", ")}]`;
}
