// Validation of a CustomResourceDefinition, with upstream's texts and order.

import { equalJson, type JsonObject, objectAt, textOf, textsOf } from "../../../apimachinery/json/json.ts";
import { type FieldError, invalid } from "../../../apimachinery/meta/field-error.ts";
import { isDns1123Subdomain, nameIsDnsSubdomain } from "../../../apimachinery/meta/names.ts";
import type { KubeObject } from "../../../apimachinery/meta/object-meta.ts";
import { joinedErrors } from "../../registry/strategy/checks.ts";
import { objectOf, type Place, schemaErrors } from "../../registry/strategy/schema-rules.ts";
import { isEstablished, validateApproval } from "../conditions.ts";
import { schemaCheck, specForm } from "./spec-form.ts";
import { type VersionRules, validateCommon, validateVersionNames, validateVersions } from "./versions.ts";
import { conversionRules, validateConversion } from "./webhook.ts";

const TYPE = "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinition";

/** A CRD's name consists of plural and group, which are immutable. */
export function crdNameComplaints(name: string, prefix: boolean, crd?: Readonly<KubeObject>): string[] {
  const complaints = nameIsDnsSubdomain(name, prefix);
  if (crd === undefined) return complaints;
  const spec = objectAt(crd, "spec");
  const wanted = `${textOf(objectAt(spec, "names")?.["plural"])}.${textOf(spec?.["group"])}`;
  return name === wanted ? complaints : [...complaints, 'must be spec.names.plural+"."+spec.group'];
}

/** Validates a new CRD after its status is set, or an updated one. */
export function validateCrd(crd: Readonly<KubeObject>, old?: Readonly<KubeObject>): FieldError[] {
  const established = old !== undefined && isEstablished(old);
  return [
    ...specErrors(crd, old, established),
    ...(old ? immutableErrors(crd, old, established) : []),
    ...validateCrdStatus(crd),
    ...storedVersionErrors(crd),
    ...validateApproval(crd, old),
    ...preservingErrors(crd, old),
  ];
}

/** Validates the status of a write to /status, besides metadata. */
export const validateCrdStatus = (crd: Readonly<KubeObject>): FieldError[] =>
  schemaErrors(`${TYPE}Status`, objectAt(crd, "status") ?? {}, { field: "status", code: { kinds } });

function specErrors(
  crd: Readonly<KubeObject>,
  old: Readonly<KubeObject> | undefined,
  established: boolean,
): FieldError[] {
  const form = specForm(crd);
  const rules: VersionRules = { check: schemaCheck(crd, old), old: old && specForm(old) };
  return schemaErrors(`${TYPE}Spec`, form.spec, {
    field: "spec",
    code: {
      kinds,
      group: ({ value }) => groupErrors(textOf(value)),
      versions: () => validateVersions(form, rules),
      common: () => validateCommon(form, rules),
      conversion: ({ field, value }) =>
        validateConversion(objectOf(value), field, conversionRules(old, established)),
    },
  });
}

/** Findings about group, scope, names and version names; schemas are not checked. */
export function namesErrors(crd: Readonly<KubeObject>): FieldError[] {
  const form = specForm(crd);
  return schemaErrors(`${TYPE}Spec`, form.spec, {
    field: "spec",
    code: {
      kinds,
      group: ({ value }) => groupErrors(textOf(value)),
      versions: () => validateVersionNames(form),
      common: () => [],
      conversion: () => [],
    },
  });
}

const kinds = ({ field, owner: { kind, listKind } }: Place): FieldError[] =>
  kind && kind === listKind
    ? [invalid(`${field}.listKind`, kind, "kind and listKind may not be the same")]
    : [];

function groupErrors(group: string): FieldError[] {
  const malformed = joinedErrors(isDns1123Subdomain, "spec.group", group);
  if (malformed.length > 0 || group.includes(".")) return malformed;
  return [invalid("spec.group", group, "should be a domain with at least one dot")];
}

/** Fields that determine the storage keys are immutable; scope and kind once the CRD is established. */
function immutableErrors(
  crd: Readonly<KubeObject>,
  old: Readonly<KubeObject>,
  established: boolean,
): FieldError[] {
  const [spec, before] = [objectAt(crd, "spec"), objectAt(old, "spec")];
  const [names, namesBefore] = [objectAt(spec, "names"), objectAt(before, "names")];
  const fields: [string, unknown, unknown][] = [
    ["spec.group", spec?.["group"], before?.["group"]],
    ["spec.names.plural", names?.["plural"], namesBefore?.["plural"]],
  ];
  if (established) {
    fields.unshift(
      ["spec.scope", spec?.["scope"], before?.["scope"]],
      ["spec.names.kind", names?.["kind"], namesBefore?.["kind"]],
    );
  }
  return fields.flatMap(([field, value, was]) =>
    equalJson(value, was) ? [] : [invalid(field, textOf(value), "field is immutable")],
  );
}

function storedVersionErrors(crd: Readonly<KubeObject>): FieldError[] {
  const field = "status.storedVersions";
  const list = objectAt(crd, "status")?.["storedVersions"];
  const stored = textsOf(list);
  if (stored.length === 0) return [invalid(field, list ?? null, "must have at least one stored version")];
  const { versions } = specForm(crd);
  const errors: FieldError[] = [];
  for (const { name, raw } of versions) {
    if (raw["storage"] !== true || stored.includes(name)) continue;
    errors.push(invalid(field, stored, `must have the storage version ${name}`));
  }
  const named = new Set(versions.map(({ name }) => name));
  for (const [index, name] of stored.entries()) {
    if (named.has(name)) continue;
    const detail = `missing from spec.versions; ${name} was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in ${name} and removes ${name} from status.storedVersions`;
    errors.push(invalid(`${field}[${index}]`, name, detail));
  }
  return errors;
}

const isPreserving = (spec: JsonObject | undefined): boolean => spec?.["preserveUnknownFields"] === true;

function preservingErrors(crd: Readonly<KubeObject>, old: Readonly<KubeObject> | undefined): FieldError[] {
  if (!isPreserving(objectAt(crd, "spec")) || isPreserving(objectAt(old, "spec"))) return [];
  const detail =
    "cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead";
  return [invalid("spec.preserveUnknownFields", true, detail)];
}
