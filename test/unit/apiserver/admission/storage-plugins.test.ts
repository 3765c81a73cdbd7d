import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { JsonObject } from "../../../../src/apimachinery/json/json.ts";
import type { KubeObject } from "../../../../src/apimachinery/meta/object-meta.ts";
import type { AdmissionAttributes } from "../../../../src/apiserver/registry/admission.ts";
import type { AdmittingPlugin } from "../../../../src/kube/admission/about.ts";
import { createClaimResize } from "../../../../src/kube/admission/claim-resize.ts";
import { createDefaultStorageClass } from "../../../../src/kube/admission/default-storage-class.ts";
import { createStorageProtection } from "../../../../src/kube/admission/storage-protection.ts";
import { TestApi } from "../endpoints/support.ts";
import { refusal } from "../registry/support.ts";
import { asked } from "./support.ts";

let api: TestApi;
beforeEach(async () => {
  api = await TestApi.open();
});
afterEach(() => api[Symbol.asyncDispose]());

const makeClass = (name: string, members: JsonObject = {}, annotations: JsonObject = {}) =>
  api.post("/apis/storage.k8s.io/v1/storageclasses", {
    apiVersion: "storage.k8s.io/v1",
    kind: "StorageClass",
    metadata: { name, annotations },
    provisioner: "p.example.com",
    ...members,
  });

function admit(
  plugin: Pick<AdmittingPlugin, "admit">,
  object: KubeObject,
  more: Partial<AdmissionAttributes> = {},
  resource = "persistentvolumeclaims",
): KubeObject {
  plugin.admit(asked(resource, { namespace: "default", object, ...more }));
  return object;
}

describe("StorageObjectInUseProtection", () => {
  test.each([
    ["persistentvolumeclaims", "kubernetes.io/pvc-protection"],
    ["persistentvolumes", "kubernetes.io/pv-protection"],
    ["volumeattributesclasses", "kubernetes.io/vac-protection"],
  ])("of %s", (resource, finalizer) => {
    const finalizersOf = (finalizers: string[], more: Partial<AdmissionAttributes> = {}) =>
      admit(createStorageProtection(), { metadata: { finalizers } }, more, resource).metadata.finalizers;
    expect(finalizersOf(["a.b/c"])).toEqual(["a.b/c", finalizer]);
    expect(finalizersOf([finalizer])).toEqual([finalizer]);
    expect(finalizersOf([], { operation: "UPDATE" })).toEqual([]);
    expect(finalizersOf([], { subresource: "status" })).toEqual([]);
  });

  test("of nothing else", () => {
    const object = admit(createStorageProtection(), { metadata: {} }, {}, "storageclasses");
    expect(object.metadata.finalizers).toBeUndefined();
  });
});

describe("DefaultStorageClass", () => {
  const classOf = (spec: JsonObject, annotations: Record<string, string> = {}, more = {}) =>
    admit(createDefaultStorageClass({ store: api.store }), { metadata: { annotations }, spec }, more)["spec"];

  test("gives a claim without a class the newest that is marked", async () => {
    expect(classOf({})).toEqual({});
    await makeClass("other");
    await makeClass("b", {}, { "storageclass.kubernetes.io/is-default-class": "true" });
    await makeClass("a", {}, { "storageclass.beta.kubernetes.io/is-default-class": "true" });
    expect(classOf({})).toEqual({ storageClassName: "a" });
    api.clock.advance(1000);
    await makeClass("c", {}, { "storageclass.kubernetes.io/is-default-class": "true" });
    expect(classOf({})).toEqual({ storageClassName: "c" });
  });

  test("leaves a claim that names one, or none, in either way", async () => {
    await makeClass("a", {}, { "storageclass.kubernetes.io/is-default-class": "true" });
    expect(classOf({ storageClassName: "" })).toEqual({ storageClassName: "" });
    expect(classOf({}, { "volume.beta.kubernetes.io/storage-class": "" })).toEqual({});
    expect(classOf({}, {}, { operation: "UPDATE" })).toEqual({});
  });
});

describe("PersistentVolumeClaimResize", () => {
  const claim = (storage: string, phase = "Bound", storageClassName = "s") => ({
    metadata: { name: "a" },
    spec: { storageClassName, resources: { requests: { storage } } },
    status: { phase },
  });
  const grow = (object: KubeObject, oldObject: KubeObject) =>
    refusal(() => {
      const { validate } = createClaimResize({ store: api.store });
      admit({ admit: validate }, object, { operation: "UPDATE", oldObject });
    });

  test("refuses what is not bound", () => {
    expect(grow(claim("2Gi"), claim("1Gi", "Pending"))).toBe(
      '403 persistentvolumeclaims "a" is forbidden: Only bound persistent volume claims can be expanded',
    );
    expect(grow(claim("1Gi"), claim("1Gi", "Pending"))).toBeUndefined();
  });

  test("asks the class", async () => {
    const rule =
      '403 persistentvolumeclaims "a" is forbidden: only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize';
    expect(grow(claim("2Gi"), claim("1Gi"))).toBe(rule);
    await makeClass("s", { allowVolumeExpansion: true });
    expect(grow(claim("2Gi"), claim("1Gi"))).toBeUndefined();
    expect(grow(claim("2Gi"), claim("1Gi", "Bound", "t"))).toBe(rule);
    expect(grow(claim("2Gi", "Bound", ""), claim("1Gi", "Bound", ""))).toBe(rule);
  });
});
