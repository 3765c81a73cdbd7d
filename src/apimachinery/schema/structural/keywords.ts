// Keywords that are forbidden in a CRD, or allowed only with others: list and map types, $ref, tuples of items, defaults
// that would apply to metadata. CEL rules are validated separately.

import { isObject, type JsonObject, objectAt } from "../../json/json.ts";
import { type FieldError, forbidden, invalid, notSupported, required } from "../../meta/field-error.ts";
import { append } from "../../meta/lists.ts";
import {
  childPath,
  hasDefault,
  isEmbedded,
  type JsonSchema,
  listMapKeysOf,
  partsOf,
  propertyPath,
} from "../schema-node.ts";

export interface KeywordFindings {
  /** Errors of a property follow those of its owner. */
  readonly errors: readonly FieldError[];
  /** Positions with an error at or below them. */
  readonly faulty: ReadonlySet<string>;
}

export function validateKeywords(raw: JsonSchema, path: string): KeywordFindings {
  const faulty = new Set<string>();
  const errors: FieldError[] = [];
  checkSchema(raw, { path, isRoot: true, insideMeta: false, noDefaults: undefined, faulty }, errors);
  return { errors, faulty };
}

interface Place {
  readonly path: string;
  readonly isRoot: boolean;
  /** Inside of apiVersion, kind or metadata of a resource. */
  readonly insideMeta: boolean;
  /** Reason why defaults are forbidden here; undefined: they are allowed. */
  readonly noDefaults: string | undefined;
  /** Collects positions with errors. */
  readonly faulty: Set<string>;
}

const TYPES = ["array", "boolean", "integer", "number", "object", "string"];
const META_FIELDS: ReadonlySet<string> = new Set(["metadata", "kind", "apiVersion"]);

function checkSchema(raw: JsonSchema, place: Place, errors: FieldError[]): void {
  const { path, faulty } = place;
  const before = errors.length;
  checkSupported(raw, place, errors);
  if (raw["uniqueItems"] === true) {
    const detail = "uniqueItems cannot be set to true since the runtime complexity becomes quadratic";
    errors.push(forbidden(childPath(path, "uniqueItems"), detail));
  }
  checkParts(raw, place, errors);
  if (raw["x-kubernetes-preserve-unknown-fields"] === false) {
    errors.push(
      invalid(childPath(path, "x-kubernetes-preserve-unknown-fields"), false, "must be true or undefined"),
    );
  }
  checkMapType(raw, path, errors);
  checkListType(raw, path, errors);
  if (errors.length > before) faulty.add(path);
}

const PARTS = ["properties", "not", "allOf", "oneOf", "anyOf", "definitions", "items"];

/** Validates the schemas inside of a schema. */
function checkParts(raw: JsonSchema, place: Place, errors: FieldError[]): void {
  checkAdditionalProperties(raw, place, errors);
  for (const { part, keyword, key, path } of partsOf(raw, PARTS, place.path)) {
    const isMeta = keyword === "properties" && META_FIELDS.has(key) && (place.isRoot || isEmbedded(raw));
    const noDefaults = isMeta && place.isRoot ? `in top-level ${key}` : place.noDefaults;
    const insideMeta = isMeta || place.insideMeta;
    checkSchema(part, { ...place, path, isRoot: false, insideMeta, noDefaults }, errors);
  }
}

/** Keywords of JSON Schema that are not supported. */
function checkSupported(
  raw: JsonSchema,
  { path, insideMeta, noDefaults }: Place,
  errors: FieldError[],
): void {
  const type = raw["type"];
  if (typeof type === "string" && type !== "" && !TYPES.includes(type)) {
    errors.push(notSupported(childPath(path, "type"), type, TYPES));
  }
  if (hasDefault(raw) && noDefaults !== undefined) {
    errors.push(forbidden(childPath(path, "default"), `must not be set ${noDefaults}`));
  }
  const unsupported = (keyword: string): void =>
    void errors.push(forbidden(childPath(path, keyword), `${keyword} is not supported`));
  if (raw["id"] !== undefined && raw["id"] !== "") unsupported("id");
  if (raw["additionalItems"] !== undefined) unsupported("additionalItems");
  if (hasMembers(raw["patternProperties"])) unsupported("patternProperties");
  if (hasMembers(raw["definitions"])) unsupported("definitions");
  if (raw["dependencies"] !== undefined) unsupported("dependencies");
  if (raw["$ref"] !== undefined) unsupported("$ref");
  if (type === "null") {
    const detail = "type cannot be set to null, use nullable as an alternative";
    errors.push(forbidden(childPath(path, "type"), detail));
  }
  if (Array.isArray(raw["items"]) && raw["items"].length > 0) {
    errors.push(forbidden(childPath(path, "items"), "items must be a schema object and not an array"));
  }
  if (insideMeta && isEmbedded(raw)) {
    const detail = "must not be used inside of resource meta";
    errors.push(forbidden(childPath(path, "x-kubernetes-embedded-resource"), detail));
  }
}

const hasMembers = (value: unknown): boolean => isObject(value) && Object.keys(value).length > 0;

function checkAdditionalProperties(raw: JsonSchema, place: Place, errors: FieldError[]): void {
  const { additionalProperties } = raw;
  if (additionalProperties === undefined) return;
  const path = childPath(place.path, "additionalProperties");
  if (hasMembers(raw["properties"]) && additionalProperties !== true) {
    errors.push(forbidden(path, "additionalProperties and properties are mutual exclusive"));
  }
  if (!isObject(additionalProperties)) return;
  const noDefaults = place.insideMeta
    ? "inside additionalProperties applying to object metadata"
    : place.noDefaults;
  checkSchema(additionalProperties, { ...place, path, isRoot: false, noDefaults }, errors);
}

/** The keyword requires a type; a missing type has another error than a wrong one. */
function needsType(raw: JsonSchema, keyword: string, type: string, path: string): FieldError[] {
  if (raw[keyword] === undefined || raw["type"] === type) return [];
  const field = childPath(path, "type");
  const detail = `must be ${type} if ${keyword} is specified`;
  return [raw["type"] ? invalid(field, raw["type"], detail) : required(field, detail)];
}

function checkMapType(raw: JsonSchema, path: string, errors: FieldError[]): void {
  const mapType = raw["x-kubernetes-map-type"];
  append(errors, needsType(raw, "x-kubernetes-map-type", "object", path));
  if (mapType !== undefined && mapType !== "atomic" && mapType !== "granular") {
    errors.push(notSupported(childPath(path, "x-kubernetes-map-type"), mapType, ["atomic", "granular"]));
  }
}

const LIST_TYPES = ["atomic", "set", "map"];

function checkListType(raw: JsonSchema, path: string, errors: FieldError[]): void {
  const listType = raw["x-kubernetes-list-type"];
  const keys = listMapKeysOf(raw);
  const items = objectAt(raw, "items");
  const wrongType = needsType(raw, "x-kubernetes-list-type", "array", path);
  append(errors, wrongType);
  if (wrongType.length === 0 && listType === "set" && items !== undefined) {
    append(errors, setItemErrors(items, childPath(path, "items")));
  }
  const field = childPath(path, "x-kubernetes-list-type");
  if (listType !== undefined && !LIST_TYPES.includes(String(listType))) {
    errors.push(notSupported(field, listType, LIST_TYPES));
  }
  if (keys.length > 0 && listType !== "map") {
    const detail = "must be map if x-kubernetes-list-map-keys is non-empty";
    errors.push(listType === undefined ? required(field, detail) : invalid(field, listType, detail));
  }
  if (listType === "map") append(errors, mapErrors(raw, keys, path));
  if (listType === "map" || listType === "set") append(errors, correlationErrors(raw, keys, path));
}

/** Items of a set are compared as a whole. */
function setItemErrors(items: JsonObject, path: string): FieldError[] {
  const detail = "must be atomic as item of a list with x-kubernetes-list-type=set";
  const listType = items["x-kubernetes-list-type"];
  if (items["type"] === "array" && listType !== undefined && listType !== "atomic") {
    return [invalid(childPath(path, "x-kubernetes-list-type"), listType, detail)];
  }
  if (items["type"] === "object" && items["x-kubernetes-map-type"] !== "atomic") {
    return [invalid(childPath(path, "x-kubernetes-map-type"), listType ?? null, detail)];
  }
  return [];
}

function mapErrors(raw: JsonSchema, keys: readonly string[], path: string): FieldError[] {
  const errors: FieldError[] = [];
  const keysField = childPath(path, "x-kubernetes-list-map-keys");
  const itemsField = childPath(path, "items");
  const { items } = raw;
  if (keys.length === 0) {
    errors.push(required(keysField, "must not be empty if x-kubernetes-list-type is map"));
  }
  if (items === undefined) {
    errors.push(required(itemsField, "must have a schema if x-kubernetes-list-type is map"));
  } else if (!isObject(items)) {
    errors.push(
      invalid(itemsField, items, "must only have a single schema if x-kubernetes-list-type is map"),
    );
  } else if (items["type"] !== "object") {
    const detail = "must be object if parent array's x-kubernetes-list-type is map";
    errors.push(invalid(childPath(itemsField, "type"), items["type"] ?? "", detail));
  } else append(errors, keyErrors(items, keys, { keysField, itemsField }));
  return errors;
}

function keyErrors(
  items: JsonObject,
  keys: readonly string[],
  { keysField, itemsField }: { keysField: string; itemsField: string },
): FieldError[] {
  const errors: FieldError[] = [];
  const seen = new Set<string>();
  for (const key of keys) {
    const property = objectAt(objectAt(items, "properties"), key);
    if (property === undefined) {
      errors.push(invalid(keysField, keys, "entries must all be names of item properties"));
    } else if (property["type"] === "array" || property["type"] === "object") {
      const detail = "must be a scalar type if parent array's x-kubernetes-list-type is map";
      errors.push(invalid(childPath(propertyPath(itemsField, key), "type"), items["type"], detail));
    }
    if (seen.has(key)) errors.push(invalid(keysField, keys, "must not contain duplicate entries"));
    seen.add(key);
  }
  return errors;
}

/** Items must not be nullable. Each list map key must be required, or have a default, and must not be nullable. */
function correlationErrors(raw: JsonSchema, keys: readonly string[], path: string): FieldError[] {
  const items = objectAt(raw, "items");
  if (items === undefined) return [];
  const errors: FieldError[] = [];
  const listType = String(raw["x-kubernetes-list-type"]);
  const field = childPath(path, "items");
  if (items["nullable"] === true) {
    const detail = `cannot be nullable when x-kubernetes-list-type is ${listType}`;
    errors.push(forbidden(childPath(field, "nullable"), detail));
  }
  if (listType !== "map") return errors;
  const requiredKeys = Array.isArray(items["required"]) ? items["required"] : [];
  for (const key of keys) {
    const property = objectAt(objectAt(items, "properties"), key);
    if (property === undefined) continue;
    if (!requiredKeys.includes(key) && !hasDefault(property)) {
      const detail =
        "this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property";
      errors.push(required(childPath(propertyPath(field, key), "default"), detail));
    }
    if (property["nullable"] === true) {
      const detail = "this property is in x-kubernetes-list-map-keys, so it cannot be nullable";
      errors.push(forbidden(childPath(propertyPath(field, key), "nullable"), detail));
    }
  }
  return errors;
}
