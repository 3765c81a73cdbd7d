// A CRD for validation tests, built from its distinctive parts.

import type { JsonObject } from "../../../../../src/apimachinery/json/json.ts";
import { describeFieldError } from "../../../../../src/apimachinery/meta/field-error.ts";
import type { KubeObject } from "../../../../../src/apimachinery/meta/object-meta.ts";
import { validateCrd } from "../../../../../src/apiserver/apiextensions/validation/validate-crd.ts";

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
