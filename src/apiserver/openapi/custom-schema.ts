// The schema of a custom resource as it is published: what its CRD says, without what has no meaning outside of it,
// and with the members that every object has.

import { isObject, type JsonObject, objectAt, setOwn } from "../../meta/json.ts";
import type { ResourceView } from "../../registry/definition/resource-definition.ts";
import type { JsonSchema } from "../../schema/schema-node.ts";
import { META, refTo, schemaNames } from "./operation.ts";

/** The members that say what an object is. */
const typeMeta = (object: string, core = ""): Record<string, JsonSchema> => ({
  apiVersion: {
    description: `Version of the API in which ${object} is written${core}.`,
    type: "string",
  },
  kind: { description: `Name of the type that ${object} has.`, type: "string" },
});

const TYPE_META = typeMeta("this object", ", as group/version or just the version for the core group");

const OBJECT_META: JsonSchema = {
  description: "Name, labels and the other members that every object has.",
  allOf: [refTo(`${META}.ObjectMeta`)],
};

/** The published schema of the kind. The schema of the CRD itself is not changed. */
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

/** Said to people who read the CRD, not to clients. */
const NOT_PUBLISHED = new Set(["example", "externalDocs"]);

/** Keywords that say nothing when they are false. */
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
    out[keyword] = publishKeyword(keyword, value);
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

function publishKeyword(keyword: string, value: unknown): unknown {
  switch (keyword) {
    case "properties":
      return mapProperties(value);
    case "items":
    case "additionalProperties":
    case "not":
      return isObject(value) ? publish(value) : value;
    case "allOf":
    case "anyOf":
    case "oneOf":
      return Array.isArray(value) ? value.map((item) => (isObject(item) ? publish(item) : item)) : value;
    default:
      return value;
  }
}

function mapProperties(value: unknown): unknown {
  if (!isObject(value)) return value;
  const out: JsonObject = {};
  for (const [name, property] of Object.entries(value))
    setOwn(out, name, isObject(property) ? publish(property) : property);
  return out;
}

const INT_OR_STRING = [{ type: "integer" }, { type: "string" }];

/** Spells out what x-kubernetes-int-or-string means, unless the CRD already does. */
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
