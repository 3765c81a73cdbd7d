// Schemas of OpenAPI 3.0 brought into the form of Swagger 2.0, which knows neither defaults beside a $ref nor
// alternatives, nullable values or values of any type with members.
import { isObject, type JsonObject, objectAt, setOwn } from "../../meta/json.ts";
import type { JsonSchema } from "../../schema/schema-node.ts";
import { nameOfRef } from "./operation.ts";

/** A built-in or already simplified schema: refs and defaults in the old form. */
export function toSwaggerSchema(schema: JsonSchema): JsonSchema {
  const out: JsonObject = {};
  for (const [keyword, value] of Object.entries(schema)) {
    if (keyword === "$ref" && typeof value === "string") out["$ref"] = `#/definitions/${nameOfRef(value)}`;
    else if (keyword === "allOf") Object.assign(out, toSwaggerRef(value));
    else if (keyword === "oneOf") out["type"] = "string";
    else if (keyword !== "default") out[keyword] = toSwaggerKeyword(keyword, value);
  }
  return out;
}

/** An allOf around one $ref only exists so that a description may stand beside it. */
function toSwaggerRef(allOf: unknown): JsonObject {
  const [only] = Array.isArray(allOf) ? allOf : [];
  return isObject(only) ? toSwaggerSchema(only) : {};
}

function toSwaggerKeyword(keyword: string, value: unknown): unknown {
  if (!isObject(value)) return value;
  if (keyword === "items" || keyword === "additionalProperties") return toSwaggerSchema(value);
  return keyword === "properties" ? mapValues(value, toSwaggerSchema) : value;
}

function mapValues(value: JsonObject, convert: (schema: JsonSchema) => JsonSchema): JsonObject {
  const out: JsonObject = {};
  for (const [name, item] of Object.entries(value)) setOwn(out, name, isObject(item) ? convert(item) : item);
  return out;
}

/**
 * The published schema of a custom resource with everything taken out that old clients misread. A kind that keeps
 * unknown fields becomes an object without any members: those clients would refuse all others.
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
    out[keyword] = simplifyKeyword(keyword, value);
  }
  if (untyped || (out["type"] === "array" && out["items"] === undefined)) delete out["type"];
  if (open && out["type"] === "object") delete out["type"];
  dropNullableRequired(schema, out);
  return out;
}

function isRef(allOf: unknown): boolean {
  return Array.isArray(allOf) && allOf.length === 1 && isObject(allOf[0]) && "$ref" in allOf[0];
}

function simplifyKeyword(keyword: string, value: unknown): unknown {
  if (!isObject(value)) return value;
  if (keyword === "items" || keyword === "additionalProperties") return simplify(value);
  return keyword === "properties" ? mapValues(value, simplify) : value;
}

/** A member that may be null cannot be required of a client that knows no null. */
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
