// What makes a schema structural: a type at every place, no types or structure inside of allOf, anyOf, oneOf and not,
// nothing said about metadata but the name. See "Specifying a structural schema" in the Kubernetes documentation.

import { patternError } from "../../go/pattern.ts";
import { describeFieldError, type FieldError, forbidden, invalid, required } from "../../meta/field-error.ts";
import { equalJson, isObject, type JsonObject, objectAt } from "../../meta/json.ts";
import { branchesOf, branchPath, childPath, isEmbedded, membersOf, propertyPath } from "../raw-schema.ts";
import type { JsonSchema } from "../schema-node.ts";

type Level = "root" | "items" | "field";

/** The findings, sorted by their text. */
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
  if (isObject(items)) checkPlace(items, "items", childPath(path, "items"), errors);
  for (const [key, property] of membersOf(raw)) {
    checkPlace(property, "field", propertyPath(path, key), errors);
  }
  if (additionalProperties !== undefined) {
    const field = childPath(path, "additionalProperties");
    if (level === "root") errors.push(forbidden(field, "must not be used at the root"));
    if (isObject(additionalProperties)) checkPlace(additionalProperties, "field", field, errors);
  }
  checkIntOrString(raw, path, errors);
  checkValues(raw, path, errors, {
    skipsAnyOf: isIntOrStringPair(raw["anyOf"]),
    skipsFirstAllOf: isIntOrStringPair(firstOf(raw["allOf"])?.["anyOf"]),
  });
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

/** A default is another check's business. */
function restrictsNameOnly(metadata: JsonObject): boolean {
  const { type: _type, default: _default, properties, ...others } = metadata;
  if (Object.keys(others).some((key) => isSet(others[key]))) return false;
  return !isObject(properties) || Object.keys(properties).every((key) => RESTRICTABLE.has(key));
}

/** Zero values of a schema's keywords say nothing. */
function isSet(value: unknown): boolean {
  if (value === undefined || value === null || value === false || value === "") return false;
  return !Array.isArray(value) || value.length > 0;
}

const firstOf = (value: unknown): JsonObject | undefined =>
  Array.isArray(value) && isObject(value[0]) ? value[0] : undefined;

const INT_OR_STRING = [{ type: "integer" }, { type: "string" }];

/** The two types may be named in this one form. */
const isIntOrStringPair = (anyOf: unknown): boolean => equalJson(anyOf, INT_OR_STRING);

interface Skips {
  readonly skipsAnyOf: boolean;
  readonly skipsFirstAllOf: boolean;
}

const NO_SKIPS: Skips = { skipsAnyOf: false, skipsFirstAllOf: false };

function checkValues(raw: JsonSchema, path: string, errors: FieldError[], skips: Skips): void {
  for (const keyword of ["anyOf", "allOf", "oneOf"]) {
    if (keyword === "anyOf" && skips.skipsAnyOf) continue;
    for (const [index, branch] of branchesOf(raw, keyword).entries()) {
      const skipsAnyOf = keyword === "allOf" && index === 0 && skips.skipsFirstAllOf;
      checkNested(branch, branchPath(path, keyword, index), errors, { skipsAnyOf, skipsFirstAllOf: false });
    }
  }
  const not = objectAt(raw, "not");
  if (not !== undefined) checkNested(not, childPath(path, "not"), errors, NO_SKIPS);
  const pattern = raw["pattern"];
  const fault = typeof pattern === "string" && pattern !== "" ? patternError(pattern) : undefined;
  if (fault === undefined) return;
  const detail = `must be a valid regular expression, but isn't: ${fault}`;
  errors.push(invalid(childPath(path, "pattern"), pattern, detail));
}

/** Keywords that have no place inside of allOf, anyOf, oneOf and not, by what they must be. */
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

function checkNested(raw: JsonSchema, path: string, errors: FieldError[], skips: Skips): void {
  checkValues(raw, path, errors, skips);
  const items = objectAt(raw, "items");
  if (items !== undefined) checkNested(items, childPath(path, "items"), errors, NO_SKIPS);
  for (const [key, property] of membersOf(raw)) {
    checkNested(property, propertyPath(path, key), errors, NO_SKIPS);
  }
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

/** What alternatives say of fields and items at the root must be there outside of them, too. */
function checkCompleteness(raw: JsonSchema, structure: JsonSchema, paths: Paths, errors: FieldError[]): void {
  const not = objectAt(raw, "not");
  if (not !== undefined) {
    checkNestedCompleteness(not, structure, { ...paths, value: childPath(paths.value, "not") }, errors);
  }
  for (const keyword of ["allOf", "anyOf", "oneOf"]) {
    for (const [index, branch] of branchesOf(raw, keyword).entries()) {
      const value = branchPath(paths.value, keyword, index);
      checkNestedCompleteness(branch, structure, { ...paths, value }, errors);
    }
  }
}

function checkNestedCompleteness(
  raw: JsonSchema,
  structure: JsonSchema,
  paths: Paths,
  errors: FieldError[],
): void {
  checkCompleteness(raw, structure, paths, errors);
  const items = objectAt(raw, "items");
  if (items !== undefined) {
    const below = { structure: childPath(paths.structure, "items"), value: childPath(paths.value, "items") };
    const found = objectAt(structure, "items");
    if (found === undefined) errors.push(missing(below));
    else checkNestedCompleteness(items, found, below, errors);
  }
  for (const [key, property] of membersOf(raw)) {
    const below = { structure: propertyPath(paths.structure, key), value: propertyPath(paths.value, key) };
    const found = objectAt(objectAt(structure, "properties"), key);
    if (found === undefined) errors.push(missing(below));
    else checkNestedCompleteness(property, found, below, errors);
  }
}

const missing = (paths: Paths): FieldError =>
  required(paths.structure, `because it is defined in ${paths.value}`);
