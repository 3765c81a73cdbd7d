// With a status subresource, the status is validated alone by its part of the schema. So the root must not have keywords
// that this validation would ignore.

import { isObject, type JsonObject, textOf } from "../../json/json.ts";
import { type FieldError, invalid } from "../../meta/field-error.ts";
import { internalRule, rulesOf } from "../rules/rule-text.ts";
import type { JsonSchema } from "../schema-node.ts";

const ALLOWED =
  "Description Type Format Title Maximum ExclusiveMaximum Minimum ExclusiveMinimum MaxLength MinLength Pattern MaxItems MinItems UniqueItems MultipleOf Required Items Properties ExternalDocs Example XPreserveUnknownFields XValidations";
const allowed: ReadonlySet<string> = new Set(ALLOWED.split(" "));

/** The first forbidden member of the root, in the order of the Go type. */
export function validateRootFields(raw: JsonSchema, path: string): FieldError[] {
  const shown = internalSchema(raw);
  for (const [name, value] of Object.entries(shown)) {
    if (name === "Type" && value !== "object") {
      const detail =
        'only "object" is allowed as the type at the root of the schema if the status subresource is enabled';
      return value === "" ? [] : [invalid(`${path}.type`, value, detail)];
    }
    if (allowed.has(name) || isZero(value)) continue;
    const detail = `only [${ALLOWED}] fields are allowed at the root of the schema if the status subresource is enabled`;
    return [
      {
        reason: "FieldValueInvalid",
        field: path,
        message: `Invalid value: ${encodeInternal(shown)}: ${detail}`,
      },
    ];
  }
  return [];
}

const isZero = (value: unknown): boolean => value === null || value === "" || value === false;

/** Go's JSON: members in the given order, HTML characters escaped. */
export const encodeInternal = (value: unknown): string =>
  JSON.stringify(value, (_key, item: unknown) => (typeof item === "bigint" ? Number(item) : item)).replace(
    /[<>&]/g,
    (letter) => `\\u00${letter.charCodeAt(0).toString(16)}`,
  );

type Show = (value: unknown, raw: JsonObject) => unknown;

const plain: Show = (value) => value ?? null;
const flag: Show = (value) => value === true;
const word: Show = textOf;
const list = (value: unknown): unknown => (Array.isArray(value) && value.length > 0 ? value : null);
const schema = (value: unknown): unknown => (isObject(value) ? internalSchema(value) : null);
const schemas: Show = (value) => (Array.isArray(value) && value.length > 0 ? value.map(schema) : null);
const schemaOrBool: Show = (value) => {
  if (typeof value === "boolean") return { Allows: value, Schema: null };
  return isObject(value) ? { Allows: true, Schema: schema(value) } : null;
};
const schemaOrList: Show = (value) => {
  if (Array.isArray(value)) return { Schema: null, JSONSchemas: value.map(schema) };
  return isObject(value) ? { Schema: schema(value), JSONSchemas: null } : null;
};
const schemaMap: Show = (value) => {
  if (!isObject(value) || Object.keys(value).length === 0) return null;
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((key) => [key, schema(value[key])]),
  );
};
/** Members of the internal Go type: its name for each keyword. */
const MEMBERS: readonly (readonly [string, string, Show])[] = [
  ["ID", "id", word],
  ["Schema", "$schema", word],
  ["Ref", "$ref", plain],
  ["Description", "description", word],
  ["Type", "type", word],
  ["Nullable", "nullable", flag],
  ["Format", "format", word],
  ["Title", "title", word],
  ["Default", "default", plain],
  ["Maximum", "maximum", plain],
  ["ExclusiveMaximum", "exclusiveMaximum", flag],
  ["Minimum", "minimum", plain],
  ["ExclusiveMinimum", "exclusiveMinimum", flag],
  ["MaxLength", "maxLength", plain],
  ["MinLength", "minLength", plain],
  ["Pattern", "pattern", word],
  ["MaxItems", "maxItems", plain],
  ["MinItems", "minItems", plain],
  ["UniqueItems", "uniqueItems", flag],
  ["MultipleOf", "multipleOf", plain],
  ["Enum", "enum", list],
  ["MaxProperties", "maxProperties", plain],
  ["MinProperties", "minProperties", plain],
  ["Required", "required", list],
  ["Items", "items", schemaOrList],
  ["AllOf", "allOf", schemas],
  ["OneOf", "oneOf", schemas],
  ["AnyOf", "anyOf", schemas],
  ["Not", "not", schema],
  ["Properties", "properties", schemaMap],
  ["AdditionalProperties", "additionalProperties", schemaOrBool],
  ["PatternProperties", "patternProperties", schemaMap],
  ["Dependencies", "dependencies", plain],
  ["AdditionalItems", "additionalItems", schemaOrBool],
  ["Definitions", "definitions", schemaMap],
  ["ExternalDocs", "externalDocs", plain],
  ["Example", "example", plain],
  ["XPreserveUnknownFields", "x-kubernetes-preserve-unknown-fields", plain],
  ["XEmbeddedResource", "x-kubernetes-embedded-resource", flag],
  ["XIntOrString", "x-kubernetes-int-or-string", flag],
  ["XListMapKeys", "x-kubernetes-list-map-keys", list],
  ["XListType", "x-kubernetes-list-type", plain],
  ["XMapType", "x-kubernetes-map-type", plain],
  ["XValidations", "x-kubernetes-validations", (_, raw) => list(rulesOf(raw).map(internalRule))],
];

/** A schema as the internal Go type: all members, in its order. */
export const internalSchema = (raw: JsonObject): JsonObject =>
  Object.fromEntries(MEMBERS.map(([name, keyword, show]) => [name, show(raw[keyword], raw)]));
