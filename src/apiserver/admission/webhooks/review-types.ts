// The Go types of an AdmissionReview (k8s.io/api/admission v1 and v1beta1, which have the same members).

import { schemaRef } from "../../../apimachinery/schema/go/schema-library.ts";
import type { JsonSchema } from "../../../apimachinery/schema/schema-node.ts";
import { type ReviewType, reviewType } from "../../registry/webhook-answer.ts";

const META = "io.k8s.apimachinery.pkg.apis.meta.v1";
const TEXT = { type: "string" };
const GROUP_VERSION = { group: TEXT, version: TEXT };
const struct = (properties: Readonly<Record<string, JsonSchema>>): JsonSchema => ({
  type: "object",
  properties,
});
const RAW = schemaRef("io.k8s.apimachinery.pkg.runtime.RawExtension");

/** A string with a named Go type. */
const named = (type: string): JsonSchema => ({ ...TEXT, "x-egret-type": type });

export const ADMISSION_REVIEW: ReviewType = reviewType(
  "admission.k8s.io",
  "AdmissionReview",
  "io.k8s.api.admission",
  (refTo, version) => ({
    AdmissionReview: struct({
      kind: TEXT,
      apiVersion: TEXT,
      request: refTo("AdmissionRequest"),
      response: refTo("AdmissionResponse"),
    }),
    AdmissionRequest: struct({
      uid: named("types.UID"),
      kind: schemaRef(`${META}.GroupVersionKind`),
      resource: schemaRef(`${META}.GroupVersionResource`),
      subResource: TEXT,
      requestKind: schemaRef(`${META}.GroupVersionKind`),
      requestResource: schemaRef(`${META}.GroupVersionResource`),
      ...{ requestSubResource: TEXT, name: TEXT, namespace: TEXT },
      operation: named(`${version}.Operation`),
      userInfo: schemaRef("io.k8s.api.authentication.v1.UserInfo"),
      ...{ object: RAW, oldObject: RAW, options: RAW },
      dryRun: { type: "boolean" },
    }),
    AdmissionResponse: struct({
      uid: named("types.UID"),
      allowed: { type: "boolean" },
      status: schemaRef(`${META}.Status`),
      patch: { ...TEXT, format: "byte" },
      patchType: { ...named(`${version}.PatchType`), "x-egret-pointer": true },
      auditAnnotations: { type: "object", additionalProperties: TEXT },
      warnings: { type: "array", items: TEXT },
    }),
    [`${META}.GroupVersionKind`]: struct({ ...GROUP_VERSION, kind: TEXT }),
    [`${META}.GroupVersionResource`]: struct({ ...GROUP_VERSION, resource: TEXT }),
  }),
);
