// The published schema of a custom resource: the CRD's schema without CRD-only keywords, and with apiVersion, kind
// and metadata. Also conversion of OpenAPI 3.0 schemas to Swagger 2.0, which lacks defaults beside a $ref,
// alternatives, nullable values, and untyped values with properties.
import { isObject, type JsonObject, objectAt, setOwn } from "../../../apimachinery/json/json.ts";
import type { JsonSchema } from "../../../apimachinery/schema/schema-node.ts";
import type { ResourceView } from "../../registry/definition/resource-definition.ts";
import { META, nameOfRef, refTo, schemaNames } from "./operation.ts";

/** apiVersion and kind. Clients' tests look for the first words of each description. */
const typeMeta = (object: string, core = ""): Record<string, JsonSchema> => ({
  apiVersion: {
    description: `APIVersion defines the version of the API in which ${object} is written${core}.`,
    type: "string",
  },
  kind: { description: `Kind is the name of the type that ${object} has.`, type: "string" },
});

const TYPE_META = typeMeta("this object", ", as group/version or just the version for the core group");

const OBJECT_META: JsonSchema = {
  description: "Name, labels and the other members that every object has.",
  allOf: [refTo(`${META}.ObjectMeta`)],
};

/** The published schema of the kind. The CRD's schema is not modified. */
export function customKindSchema(view: ResourceView): JsonSchema {
  const schema = publish(view.version.schema);
  const properties = objectAt(schema, "properties") ?? {};
  schema["properties"] = {
    ...properties,
    ...TYPE_META,
    metadata: OBJECT_META,
  };
  return { ...schema, ...kindExtensions(view, view.definition.kind) };
}

/** The published schema of its list. */
export function customListSchema(view: ResourceView): JsonSchema {
  const { kind, listKind, resource } = view.definition;
  return {
    description: `A list of ${kind} objects.`,
    type: "object",
    required: ["items"],
    properties: {
      ...TYPE_META,
      items: {
        description: `The ${resource} of this list.`,
        type: "array",
        items: refTo(schemaNames(view).kind),
      },
      metadata: {
        description: "What the list carries beside its items.",
        allOf: [refTo(`${META}.ListMeta`)],
      },
    },
    ...kindExtensions(view, listKind),
  };
}

function kindExtensions({ definition, version }: ResourceView, kind: string): JsonSchema {
  const fields = version.selectableFields.map((field) => ({ fieldPath: field.replace(/^\./, "") }));
  return {
    "x-kubernetes-group-version-kind": [{ group: definition.group, kind, version: version.name }],
    ...(fields.length > 0 ? { "x-kubernetes-selectable-fields": fields } : {}),
  };
}

/** Keywords for readers of the CRD, not for clients. */
const NOT_PUBLISHED = new Set(["example", "externalDocs"]);

/** Keywords that are omitted when false. */
const FLAGS = new Set([
  "nullable",
  "uniqueItems",
  "exclusiveMaximum",
  "exclusiveMinimum",
  "x-kubernetes-embedded-resource",
  "x-kubernetes-int-or-string",
  "x-kubernetes-preserve-unknown-fields",
]);

function publish(schema: JsonObject): JsonObject {
  const out: JsonObject = {};
  for (const [keyword, value] of Object.entries(schema)) {
    if (NOT_PUBLISHED.has(keyword) || isEmpty(keyword, value)) continue;
    out[keyword] = convertKeyword(keyword, value, publish);
  }
  if (out["x-kubernetes-int-or-string"] === true) addIntOrString(out);
  if (out["x-kubernetes-embedded-resource"] === true) addEmbeddedMembers(out);
  return out;
}

function isEmpty(keyword: string, value: unknown): boolean {
  if (keyword === "default") return false;
  if (value === undefined || value === "" || (value === false && FLAGS.has(keyword))) return true;
  if (Array.isArray(value)) return value.length === 0;
  return keyword === "properties" && isObject(value) && Object.keys(value).length === 0;
}

/** The value of a keyword with its subschemas converted. */
export function convertKeyword(
  keyword: string,
  value: unknown,
  convert: (schema: JsonObject) => JsonObject,
): unknown {
  const convertOne = (item: unknown) => (isObject(item) ? convert(item) : item);
  switch (keyword) {
    case "properties": {
      const out: JsonObject = {};
      for (const [name, item] of Object.entries(isObject(value) ? value : {}))
        setOwn(out, name, convertOne(item));
      return out;
    }
    case "items":
    case "additionalProperties":
    case "not":
      return convertOne(value);
    case "allOf":
    case "anyOf":
    case "oneOf":
      return Array.isArray(value) ? value.map(convertOne) : value;
    default:
      return value;
  }
}

const INT_OR_STRING = [{ type: "integer" }, { type: "string" }];

/** Expands x-kubernetes-int-or-string, unless the CRD has the expansion. */
function addIntOrString(schema: JsonObject): void {
  const { anyOf, allOf } = schema as { anyOf?: unknown[]; allOf?: unknown[] }; // lists by the rules for CRDs
  if (isIntOrString(anyOf) || isIntOrString(objectAt({ first: allOf?.[0] }, "first")?.["anyOf"])) return;
  if (anyOf === undefined) schema["anyOf"] = INT_OR_STRING;
  else schema["allOf"] = [{ anyOf: INT_OR_STRING }, ...(allOf ?? [])];
}

function isIntOrString(anyOf: unknown): boolean {
  const types = Array.isArray(anyOf) ? anyOf.map((item) => (isObject(item) ? item["type"] : undefined)) : [];
  return types.length === 2 && types[0] === "integer" && types[1] === "string";
}

function addEmbeddedMembers(schema: JsonObject): void {
  const properties = objectAt(schema, "properties") ?? {};
  schema["properties"] = {
    ...properties,
    ...typeMeta("the embedded object"),
    metadata: OBJECT_META,
  };
  const required = Array.isArray(schema["required"]) ? schema["required"] : [];
  schema["required"] = [...new Set([...required, "kind", "apiVersion"])];
}

/** A built-in or simplified schema, with Swagger 2.0 references and defaults. */
export function toSwaggerSchema(schema: JsonSchema): JsonSchema {
  const out: JsonObject = {};
  for (const [keyword, value] of Object.entries(schema)) {
    if (keyword === "$ref" && typeof value === "string") out["$ref"] = `#/definitions/${nameOfRef(value)}`;
    else if (keyword === "allOf") Object.assign(out, toSwaggerRef(value));
    else if (keyword === "oneOf") out["type"] = "string";
    else if (keyword !== "default") out[keyword] = convertKeyword(keyword, value, toSwaggerSchema);
  }
  return out;
}

/** An allOf with a single $ref exists only to allow a description beside it. */
function toSwaggerRef(allOf: unknown): JsonObject {
  const [only] = Array.isArray(allOf) ? allOf : [];
  return isObject(only) ? toSwaggerSchema(only) : {};
}

/**
 * The published schema of a custom resource without anything that old clients misread. A kind that preserves unknown
 * fields becomes an object without properties: those clients would reject unknown fields.
 */
export function toSwaggerCustomSchema(schema: JsonSchema): JsonSchema {
  const kinds = "x-kubernetes-group-version-kind";
  if (schema["x-kubernetes-preserve-unknown-fields"] === true)
    return { type: "object", [kinds]: schema[kinds], ...selectableFields(schema) };
  const properties = objectAt(schema, "properties") ?? {};
  const simplified = simplify(schema);
  const kept = objectAt(simplified, "properties") ?? {};
  const { apiVersion, kind, metadata } = properties;
  simplified["properties"] = { ...kept, apiVersion, kind, metadata };
  return toSwaggerSchema(simplified);
}

function selectableFields(schema: JsonSchema): JsonObject {
  const key = "x-kubernetes-selectable-fields";
  return schema[key] === undefined ? {} : { [key]: schema[key] };
}

const ALTERNATIVES = new Set(["anyOf", "oneOf", "not", "nullable"]);

function simplify(schema: JsonSchema): JsonObject {
  const untyped = schema["nullable"] === true;
  const open = untyped || schema["x-kubernetes-preserve-unknown-fields"] === true;
  const out: JsonObject = {};
  for (const [keyword, value] of Object.entries(schema)) {
    if (ALTERNATIVES.has(keyword)) continue;
    if (keyword === "allOf" && !isRef(value)) continue;
    if (open && (keyword === "items" || keyword === "properties")) continue;
    out[keyword] = convertKeyword(keyword, value, simplify);
  }
  if (untyped || (out["type"] === "array" && out["items"] === undefined)) delete out["type"];
  if (open && out["type"] === "object") delete out["type"];
  dropNullableRequired(schema, out);
  return out;
}

function isRef(allOf: unknown): boolean {
  return Array.isArray(allOf) && allOf.length === 1 && isObject(allOf[0]) && "$ref" in allOf[0];
}

/** A nullable property cannot be required for clients without null. */
function dropNullableRequired(schema: JsonSchema, out: JsonObject): void {
  if (!Array.isArray(out["required"])) return;
  if (objectAt(schema, "additionalProperties")?.["nullable"] === true) {
    delete out["required"];
    return;
  }
  const properties = objectAt(out, "properties") === undefined ? {} : objectAt(schema, "properties");
  const required = out["required"].filter(
    (name) => objectAt(properties, String(name))?.["nullable"] !== true,
  );
  if (required.length > 0) out["required"] = required;
  else delete out["required"];
}
