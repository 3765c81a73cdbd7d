// Definitions in the form of v1beta1, in which every kube-apiserver still stores them. What all versions have in common stands
// at the top there, and in each version today.
import { cloneJson, isObject, type JsonObject, objectAt, objectsAt, textAt } from "../../meta/json.ts";

const SHARED = ["validation", "subresources", "additionalPrinterColumns", "selectableFields"] as const;

/** The same definition in the form of v1. */
export function crdFromV1beta1(crd: Readonly<JsonObject>): JsonObject {
  const given = objectAt(crd, "spec") ?? {};
  const { version: _version, versions: _versions, conversion: _conversion, ...rest } = given;
  for (const member of SHARED) delete rest[member];
  const conversion = objectAt(given, "conversion");
  const spec = {
    ...rest,
    ...(conversion === undefined ? {} : { conversion: conversionOf(conversion) }),
    versions: versionsOf(given).map((version) => versionOf(version, given)),
  };
  return { ...crd, apiVersion: "apiextensions.k8s.io/v1", spec };
}

/** One that names no list has one version, which is served and stored. */
function versionsOf(spec: JsonObject): JsonObject[] {
  const versions = objectsAt(spec, "versions");
  return versions.length > 0 ? versions : [{ name: textAt(spec, "version"), served: true, storage: true }];
}

function versionOf(version: JsonObject, spec: JsonObject): JsonObject {
  const { schema, subresources, additionalPrinterColumns, selectableFields, ...rest } = version;
  const columns = Array.isArray(additionalPrinterColumns)
    ? objectsAt(version, "additionalPrinterColumns")
    : objectsAt(spec, "additionalPrinterColumns");
  const shared = {
    schema: schema ?? spec["validation"] ?? ANYTHING,
    subresources: subresources ?? spec["subresources"],
    selectableFields: selectableFields ?? spec["selectableFields"],
  };
  const present = Object.entries(shared).filter(([, value]) => value !== undefined && value !== null);
  return {
    ...rest,
    ...cloneJson(Object.fromEntries(present)),
    ...(columns.length > 0 ? { additionalPrinterColumns: columns.map(columnOf) } : {}),
  };
}

const ANYTHING = { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } };

const columnOf = ({ JSONPath, ...column }: JsonObject): JsonObject =>
  JSONPath === undefined ? column : { ...column, jsonPath: JSONPath };

function conversionOf(conversion: JsonObject): JsonObject {
  const { strategy, webhookClientConfig, conversionReviewVersions } = conversion;
  if (!isObject(webhookClientConfig)) return { strategy };
  return { strategy, webhook: { clientConfig: webhookClientConfig, conversionReviewVersions } };
}
