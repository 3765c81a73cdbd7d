// A CRD for validation tests, built from its distinctive parts.
import { describeFieldError } from "../../../../../src/meta/field-error.ts";
import type { JsonObject } from "../../../../../src/meta/json.ts";
import type { KubeObject } from "../../../../../src/meta/object-meta.ts";
import { validateCrd } from "../../../../../src/resources/apiextensions.k8s.io/validation/validate-crd.ts";

export const ANYTHING = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
export function version(more: JsonObject = {}, schema: JsonObject = ANYTHING): JsonObject {
  return { name: "v1", served: true, storage: true, schema: { openAPIV3Schema: schema }, ...more };
}

/** A CRD as it is checked: defaulted, with the status of a new one. */
export function crdWith(spec: JsonObject, status: JsonObject = { storedVersions: ["v1"] }): KubeObject {
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "things.example.com" },
    spec: {
      group: "example.com",
      scope: "Namespaced",
      names: { plural: "things", singular: "thing", kind: "Thing", listKind: "ThingList" },
      versions: [version()],
      conversion: { strategy: "None" },
      ...spec,
    },
    status,
  };
}

/** The errors for a new CRD. */
export const found = (crd: KubeObject): string[] => validateCrd(crd).map(describeFieldError);
