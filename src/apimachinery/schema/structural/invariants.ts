// Conditions of a structural schema: a type at every position, no types or structure inside of allOf, anyOf, oneOf and
// not, and no constraints on metadata other than its name. See "Specifying a structural schema" in the Kubernetes
// documentation.

import { patternError } from "../../go/pattern.ts";
import { equalJson, isObject, type JsonObject, objectAt } from "../../json/json.ts";
import { describeFieldError, type FieldError, forbidden, invalid, required } from "../../meta/field-error.ts";
import {
  BRANCHES,
  childPath,
  INNER,
  isEmbedded,
  type JsonSchema,
  membersOf,
  partsOf,
  propertyPath,
} from "../schema-node.ts";

type Level = "root" | "items" | "field";

/** The findings, sorted by text. */
export function validateInvariants(raw: JsonSchema, path: string): FieldError[] {
  const errors: FieldError[] = [];
  checkPlace(raw, "root", path, errors);
  checkCompleteness(raw, raw, { structure: path, value: path }, errors);
  return errors
    .map((error) => ({ error, text: describeFieldError(error) }))
    .sort((a, b) => (a.text < b.text ? -1 : a.text > b.text ? 1 : 0))
    .map(({ error }) => error);
}

function checkPlace(raw: JsonSchema, level: Level, path: string, errors: FieldError[]): void {
  const { items, additionalProperties } = raw;
  if (raw["type"] === "array" && !isObject(items)) {
    errors.push(required(childPath(path, "items"), "must be specified"));
  }
  if (level === "root" && additionalProperties !== undefined) {
    errors.push(forbidden(childPath(path, "additionalProperties"), "must not be used at the root"));
  }
  for (const { part, keyword, path: at } of partsOf(raw, INNER, path))
    checkPlace(part, keyword === "items" ? "items" : "field", at, errors);
  checkIntOrString(raw, path, errors);
  // Both types may be listed in this form only.
  const pairs = [raw["anyOf"], firstOf(raw["allOf"])?.["anyOf"]].filter(isIntOrStringPair);
  checkValues(raw, path, errors, new Set(pairs));
  checkType(raw, level, path, errors);
  checkTypeMeta(raw, level, path, errors);
}

function checkIntOrString(raw: JsonSchema, path: string, errors: FieldError[]): void {
  if (raw["x-kubernetes-int-or-string"] !== true) return;
  for (const keyword of ["x-kubernetes-preserve-unknown-fields", "x-kubernetes-embedded-resource"]) {
    if (raw[keyword] !== true) continue;
    const detail = "must be false if x-kubernetes-int-or-string is true";
    errors.push(invalid(childPath(path, keyword), true, detail));
  }
}

const TYPE_REQUIRED: Readonly<Record<Level, string>> = {
  root: "must not be empty at the root",
  items: "must not be empty for specified array items",
  field: "must not be empty for specified object fields",
};

function checkType(raw: JsonSchema, level: Level, path: string, errors: FieldError[]): void {
  const type = raw["type"] ?? "";
  const field = childPath(path, "type");
  const isAnything =
    raw["x-kubernetes-int-or-string"] === true || raw["x-kubernetes-preserve-unknown-fields"] === true;
  if (isEmbedded(raw) && type !== "object") {
    const detail = "must be object if x-kubernetes-embedded-resource is true";
    errors.push(type === "" ? required(field, detail) : invalid(field, type, detail));
  } else if (type === "" && !isAnything) errors.push(required(field, TYPE_REQUIRED[level]));
  if (isEmbedded(raw) && raw["additionalProperties"] !== undefined) {
    const detail = "must not be used if x-kubernetes-embedded-resource is set";
    errors.push(forbidden(childPath(path, "additionalProperties"), detail));
  }
  if (level === "root" && type !== "" && type !== "object") {
    errors.push(invalid(field, type, "must be object at the root"));
  }
}

function checkTypeMeta(raw: JsonSchema, level: Level, path: string, errors: FieldError[]): void {
  const properties = objectAt(raw, "properties");
  const isResource = level === "root" || isEmbedded(raw);
  for (const key of isResource ? ["kind", "apiVersion"] : []) {
    const property = objectAt(properties, key);
    if (property === undefined || property["type"] === "string") continue;
    errors.push(
      invalid(childPath(propertyPath(path, key), "type"), property["type"] ?? "", "must be string"),
    );
  }
  const metadata = objectAt(properties, "metadata");
  if (metadata !== undefined) {
    const field = propertyPath(path, "metadata");
    if (isResource && metadata["type"] !== "object") {
      errors.push(invalid(childPath(field, "type"), metadata["type"] ?? "", "must be object"));
    }
    if (level === "root" && !restrictsNameOnly(metadata)) {
      const detail =
        "must not specify anything other than name and generateName, but metadata is implicitly specified";
      errors.push(forbidden(field, detail));
    }
  }
  if (
    isEmbedded(raw) &&
    raw["x-kubernetes-preserve-unknown-fields"] !== true &&
    membersOf(raw).length === 0
  ) {
    const detail =
      "must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields";
    errors.push(required(childPath(path, "properties"), detail));
  }
}

const RESTRICTABLE: ReadonlySet<string> = new Set(["name", "generateName"]);

/** A default is covered by another check. */
function restrictsNameOnly(metadata: JsonObject): boolean {
  const { type: _type, default: _default, properties, ...others } = metadata;
  if (Object.keys(others).some((key) => isSet(others[key]))) return false;
  return !isObject(properties) || Object.keys(properties).every((key) => RESTRICTABLE.has(key));
}

/** Zero values of a schema's keywords count as unset. */
function isSet(value: unknown): boolean {
  if (value === undefined || value === null || value === false || value === "") return false;
  return !Array.isArray(value) || value.length > 0;
}

const firstOf = (value: unknown): JsonObject | undefined =>
  Array.isArray(value) && isObject(value[0]) ? value[0] : undefined;

const INT_OR_STRING = [{ type: "integer" }, { type: "string" }];

const isIntOrStringPair = (anyOf: unknown): boolean => equalJson(anyOf, INT_OR_STRING);

/** `pairs`: alternatives that are exempt. */
function checkValues(raw: JsonSchema, path: string, errors: FieldError[], pairs: ReadonlySet<unknown>): void {
  for (const { part, keyword, path: at } of partsOf(raw, BRANCHES, path))
    if (!pairs.has(raw[keyword])) checkNested(part, at, errors, pairs);
  const pattern = raw["pattern"];
  const fault = typeof pattern === "string" && pattern !== "" ? patternError(pattern) : undefined;
  if (fault === undefined) return;
  const detail = `must be a valid regular expression, but isn't: ${fault}`;
  errors.push(invalid(childPath(path, "pattern"), pattern, detail));
}

/** Keywords that are forbidden inside of allOf, anyOf, oneOf and not, grouped by the value that they must have. */
const FORBIDDEN_INSIDE: readonly (readonly [string, readonly string[]])[] = [
  ["empty", ["type", "title", "description", "x-kubernetes-list-map-keys", "x-kubernetes-validations"]],
  ["undefined", ["additionalProperties", "default", "x-kubernetes-list-type", "x-kubernetes-map-type"]],
  [
    "false",
    [
      "nullable",
      "x-kubernetes-preserve-unknown-fields",
      "x-kubernetes-embedded-resource",
      "x-kubernetes-int-or-string",
    ],
  ],
];

function checkNested(raw: JsonSchema, path: string, errors: FieldError[], pairs: ReadonlySet<unknown>): void {
  checkValues(raw, path, errors, pairs);
  for (const { part, path: at } of partsOf(raw, ["items", "properties"], path))
    checkNested(part, at, errors, pairs);
  for (const [wanted, keywords] of FORBIDDEN_INSIDE) {
    for (const keyword of keywords) {
      const isUsed = keyword === "additionalProperties" ? raw[keyword] !== undefined : isSet(raw[keyword]);
      if (isUsed) errors.push(forbidden(childPath(path, keyword), `must be ${wanted} to be structural`));
    }
  }
  if (objectAt(objectAt(raw, "properties"), "metadata") !== undefined) {
    errors.push(forbidden(propertyPath(path, "metadata"), "must not be specified in a nested context"));
  }
}

interface Paths {
  readonly structure: string;
  readonly value: string;
}

/** Fields and items that alternatives constrain must be declared outside of them, too. */
function checkCompleteness(raw: JsonSchema, structure: JsonSchema, paths: Paths, errors: FieldError[]): void {
  for (const { part, path } of partsOf(raw, BRANCHES, paths.value))
    checkNestedCompleteness(part, structure, { ...paths, value: path }, errors);
}

function checkNestedCompleteness(
  raw: JsonSchema,
  structure: JsonSchema,
  paths: Paths,
  errors: FieldError[],
): void {
  checkCompleteness(raw, structure, paths, errors);
  for (const { part, keyword, key, path } of partsOf(raw, ["items", "properties"], paths.value)) {
    const below = { value: path, structure: paths.structure + path.slice(paths.value.length) };
    const there = objectAt(structure, keyword);
    const found = keyword === "items" ? there : objectAt(there, key);
    if (found === undefined) errors.push(missing(below));
    else checkNestedCompleteness(part, found, below, errors);
  }
}

const missing = (paths: Paths): FieldError =>
  required(paths.structure, `because it is defined in ${paths.value}`);
