// The versions of a CRD, each by itself and all together, and what they have in common.

import { type FieldError, invalid, required } from "../../../meta/field-error.ts";
import { equalJson } from "../../../meta/json.ts";
import { append } from "../../../meta/lists.ts";
import { deprecationWarningComplaints } from "./deprecation-text.ts";
import { labelErrors } from "./names.ts";
import { anyHasStatus, type SchemaCheck } from "./schemas.ts";
import { hasTooMany, validateSelectableFields } from "./selectable-fields.ts";
import { showVersions } from "./show-versions.ts";
import { hasStatus, type SharedForm, type SpecForm, schemaOf, type VersionForm } from "./spec-form.ts";
import { validateColumn, validateSubresources } from "./subresources.ts";
import { someSchema } from "./walk-schema.ts";

export interface VersionRules {
  readonly schemas: SchemaCheck;
  /** The CRD as it was. */
  readonly old: SpecForm | undefined;
}

export function validateVersions(form: SpecForm, rules: VersionRules): FieldError[] {
  const { versions } = form;
  const errors = missingSchemas(form);
  append(errors, preservedDefaults(form));
  for (const [index, version] of versions.entries()) {
    const path = `spec.versions[${index}]`;
    append(errors, labelErrors(version.name, `${path}.name`), versionErrors(form, version, path, rules));
  }
  const names = new Set(versions.map(({ name }) => name));
  const storageCount = versions.filter(({ raw }) => raw["storage"] === true).length;
  if (names.size < versions.length) errors.push(ofAllVersions(form, "must contain unique version names"));
  if (storageCount !== 1) {
    errors.push(ofAllVersions(form, "must have exactly one version marked as storage version"));
  }
  // The first version stands once more at the top, in its older place.
  const [first] = versions;
  return first === undefined ? errors : [...errors, ...labelErrors(first.name, "spec.version")];
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
  { schemas, fieldsBefore }: VersionRules & { readonly fieldsBefore: SharedForm | undefined },
): FieldError[] {
  const schema = schemaOf(form);
  const errors: FieldError[] = [];
  if (schema !== undefined) {
    append(errors, schemas.findings({ schema, hasStatus: withStatus }, `${paths.schema}.openAPIV3Schema`));
  }
  append(errors, validateSubresources(form.subresources, `${paths.own}.subresources`));
  for (const [index, column] of form.columns.entries()) {
    append(errors, validateColumn(column, `${paths.own}.additionalPrinterColumns[${index}]`));
  }
  const { selectableFields } = form;
  if (selectableFields.length === 0 || schema === undefined) return errors;
  const before = fieldsBefore?.selectableFields ?? [];
  const mayBeTooMany = hasTooMany(before) && equalJson(before, selectableFields);
  const path = `${paths.own}.selectableFields`;
  return [...errors, ...validateSelectableFields(selectableFields, { schema, path, mayBeTooMany })];
}
