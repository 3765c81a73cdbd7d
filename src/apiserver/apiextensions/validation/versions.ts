// Versions of a CRD: each one, all together, and their shared parts.

import { equalJson, isObject, type JsonObject, objectAt, textOf } from "../../../apimachinery/json/json.ts";
import {
  duplicate,
  type FieldError,
  invalid,
  required,
  tooMany,
} from "../../../apimachinery/meta/field-error.ts";
import { append } from "../../../apimachinery/meta/lists.ts";
import { isDns1035Label } from "../../../apimachinery/meta/names.ts";
import type { JsonSchema } from "../../../apimachinery/schema/schema-node.ts";
import { joinedErrors } from "../../registry/strategy/checks.ts";
import { type CodeRules, schemaErrors } from "../../registry/strategy/schema-rules.ts";
import { someSchema } from "./format-warnings.ts";
import {
  anyHasStatus,
  hasStatus,
  type SchemaCheck,
  type SharedForm,
  type SpecForm,
  schemaOf,
  showVersions,
  type VersionForm,
} from "./spec-form.ts";

export const labelErrors = (field: string, label: string): FieldError[] =>
  joinedErrors(isDns1035Label, field, label);

export interface VersionRules {
  readonly check: SchemaCheck;
  /** Spec of the old CRD. */
  readonly old: SpecForm | undefined;
}

export function validateVersions(form: SpecForm, rules: VersionRules): FieldError[] {
  const { versions } = form;
  const errors = missingSchemas(form);
  append(errors, preservedDefaults(form));
  for (const [index, version] of versions.entries()) {
    const path = `spec.versions[${index}]`;
    append(errors, labelErrors(`${path}.name`, version.name), versionErrors(form, version, path, rules));
  }
  append(errors, setErrors(form));
  // The first version is repeated at the top, in its older field.
  const [first] = versions;
  return first === undefined ? errors : [...errors, ...labelErrors("spec.version", first.name)];
}

/** Version names, and the storage version. */
export const validateVersionNames = (form: SpecForm): FieldError[] => [
  ...form.versions.flatMap(({ name }, index) => labelErrors(`spec.versions[${index}].name`, name)),
  ...setErrors(form),
];

function setErrors(form: SpecForm): FieldError[] {
  const { versions } = form;
  const errors: FieldError[] = [];
  const names = new Set(versions.map(({ name }) => name));
  const storageCount = versions.filter(({ raw }) => raw["storage"] === true).length;
  if (names.size < versions.length) errors.push(ofAllVersions(form, "must contain unique version names"));
  if (storageCount !== 1) {
    errors.push(ofAllVersions(form, "must have exactly one version marked as storage version"));
  }
  return errors;
}

const ofAllVersions = (form: SpecForm, detail: string): FieldError => ({
  reason: "FieldValueInvalid",
  field: "spec.versions",
  message: `Invalid value: ${showVersions(form)}: ${detail}`,
});

/** Schema, subresources, columns and selectable fields that all versions share. */
export function validateCommon(form: SpecForm, rules: VersionRules): FieldError[] {
  const paths = { schema: "spec.validation", own: "spec" };
  return sharedErrors(form, anyHasStatus(form), paths, { ...rules, fieldsBefore: rules.old });
}

function missingSchemas(form: SpecForm): FieldError[] {
  if (schemaOf(form) !== undefined) return [];
  return form.versions.flatMap((version, index) =>
    schemaOf(version) ? [] : [required(`spec.versions[${index}].schema.openAPIV3Schema`)],
  );
}

function preservedDefaults({ spec, versions, ...top }: SpecForm): FieldError[] {
  if (spec["preserveUnknownFields"] !== true) return [];
  const hasDefaults = [top, ...versions].some((form) =>
    someSchema(schemaOf(form), (schema) => (schema["default"] ?? null) !== null),
  );
  if (!hasDefaults) return [];
  return [
    invalid("spec.preserveUnknownFields", true, "must be false in order to use defaults in the schema"),
  ];
}

function versionErrors(
  form: SpecForm,
  version: VersionForm,
  path: string,
  rules: VersionRules,
): FieldError[] {
  const { raw } = version;
  const warning = raw["deprecationWarning"];
  const complaints = deprecationWarningComplaints(raw["deprecated"] === true, warning);
  const withStatus = hasStatus(version) || hasStatus(form);
  const fieldsBefore = rules.old?.versions.find(({ name }) => name === version.name);
  return [
    ...complaints.map((text) => invalid(`${path}.deprecationWarning`, warning, text)),
    ...sharedErrors(version, withStatus, { schema: `${path}.schema`, own: path }, { ...rules, fieldsBefore }),
  ];
}

function sharedErrors(
  form: SharedForm,
  withStatus: boolean,
  paths: { readonly schema: string; readonly own: string },
  { check, fieldsBefore }: VersionRules & { readonly fieldsBefore: SharedForm | undefined },
): FieldError[] {
  const schema = schemaOf(form);
  const errors: FieldError[] = [];
  if (schema !== undefined) {
    append(errors, check({ schema, hasStatus: withStatus }, `${paths.schema}.openAPIV3Schema`));
  }
  const scale = objectAt(form.subresources, "scale");
  const at = (member: string) => ({ field: `${paths.own}.${member}`, code: PATH_CODE });
  if (scale) append(errors, schemaErrors(`${TYPES}SubresourceScale`, scale, at("subresources.scale")));
  append(errors, schemaErrors(`${TYPES}ColumnDefinition`, form.columns, at("additionalPrinterColumns")));
  const { selectableFields } = form;
  if (selectableFields.length === 0 || schema === undefined) return errors;
  const before = fieldsBefore?.selectableFields ?? [];
  const mayBeTooMany = hasTooMany(before) && equalJson(before, selectableFields);
  const path = `${paths.own}.selectableFields`;
  return [...errors, ...validateSelectableFields(selectableFields, { schema, path, mayBeTooMany })];
}

const TYPES = "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResource";
const PARENTS = new Map([
  ["specReplicasPath", [".spec"]],
  ["statusReplicasPath", [".status"]],
]);
const PATH_CODE: CodeRules = {
  path: ({ name, field, value }) =>
    pathErrors(textOf(value), field, PARENTS.get(name) ?? [".spec", ".status"]),
  columnPath: ({ field, owner }) => pathErrors(textOf(owner["jsonPath"]), `${field}.JSONPath`, []),
};

/** A path in dot notation, below one of the parents if there are any. */
function pathErrors(jsonPath: string, field: string, parents: readonly string[]): FieldError[] {
  if (jsonPath === "") return [required(field)];
  if (!jsonPath.startsWith("."))
    return [invalid(field, jsonPath, "must be a simple json path starting with .")];
  if (parents.length === 0 || parents.some((parent) => jsonPath.startsWith(`${parent}.`))) return [];
  const places = parents.length > 1 ? `either ${parents.join(" or ")}` : parents.join();
  return [invalid(field, jsonPath, `should be a json path under ${places}`)];
}

const TEXT_BYTES_MAX = 256;

/** Errors of a deprecationWarning, which is sent in a Warning header. */
function deprecationWarningComplaints(deprecated: boolean, text: unknown): string[] {
  if (typeof text !== "string") return [];
  if (!deprecated) return ["can only be set for deprecated versions"];
  const complaints: string[] = [];
  if (Buffer.byteLength(text) > TEXT_BYTES_MAX) {
    complaints.push(`must be <= ${TEXT_BYTES_MAX} characters long`);
  }
  if (text === "") complaints.push("must not be an empty string");
  const found = /[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/u.exec(text);
  if (found) {
    const index = Buffer.byteLength(text.slice(0, found.index));
    complaints.push(
      `must only contain printable UTF-8 characters; non-printable character found at index ${index}`,
    );
  }
  return complaints;
}

// selectableFields of a kind: scalars outside of metadata, each with a dotted path through the schema.

const FIELDS_MAX = 8;
const SCALARS: ReadonlySet<unknown> = new Set(["string", "boolean", "integer"]);
const NOT_A_SCALAR =
  "must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.";

export interface SelectableRules {
  readonly schema: JsonSchema;
  readonly path: string;
  /** The old CRD exceeds the limit with the same fields. */
  readonly mayBeTooMany: boolean;
}

export function validateSelectableFields(
  fields: readonly JsonObject[],
  { schema, path, mayBeTooMany }: SelectableRules,
): FieldError[] {
  const errors: FieldError[] = [];
  const seen = new Set<string>();
  for (const [index, item] of fields.entries()) {
    const field = `${path}[${index}].jsonPath`;
    const jsonPath = textOf(item["jsonPath"]);
    if (jsonPath === "") {
      errors.push(required(field));
      continue;
    }
    const found = follow(jsonPath, schema);
    if (typeof found === "string") {
      errors.push(invalid(field, jsonPath, `is an invalid path: ${found}`));
      continue;
    }
    if (found.root === "metadata")
      errors.push(invalid(field, jsonPath, "must not point to fields in metadata"));
    if (!SCALARS.has(found.schema?.["type"])) errors.push(invalid(field, jsonPath, NOT_A_SCALAR));
    if (seen.has(found.shown)) errors.push(duplicate(field, jsonPath));
    seen.add(found.shown);
  }
  if (seen.size > FIELDS_MAX && !mayBeTooMany) errors.push(tooMany(path, seen.size, FIELDS_MAX));
  return errors;
}

export const hasTooMany = (fields: readonly JsonObject[]): boolean => fields.length > FIELDS_MAX;

interface Found {
  readonly schema: JsonSchema | undefined;
  /** The first name of the path. */
  readonly root: string;
  /** Canonical form of the path. */
  readonly shown: string;
}

const ENDS = "unexpected end of JSON path";
const LEADS_NOWHERE = "does not refer to a valid field";
/** A delimiter, a quoted text, or a name between delimiters. */
const TOKEN = /[.[\]]|'(?:[^'\\]|\\[\s\S])*'|[^.[\]]+/g;

/** The schema at a path, or the error. */
function follow(jsonPath: string, start: JsonSchema): Found | string {
  const tokens = jsonPath.match(TOKEN) ?? [];
  let schema: JsonSchema | undefined = start;
  const names: string[] = [];
  for (let index = 0; index < tokens.length; index += 2) {
    if (tokens[index] === "[") return "array notation is not allowed";
    if (tokens[index] !== ".") return `expected [ or . but got: ${tokens[index]}`;
    const name = tokens[index + 1];
    if (name === undefined) return ENDS;
    const properties = objectAt(schema, "properties");
    const values: unknown = schema?.["additionalProperties"];
    const below: unknown = properties ? properties[name] : values;
    if (below === undefined || (properties && !isObject(below))) return LEADS_NOWHERE;
    schema = isObject(below) ? below : undefined;
    names.push(properties ? name : `[${name}]`);
  }
  return { schema, root: names[0] ?? "", shown: names.join(".") };
}
