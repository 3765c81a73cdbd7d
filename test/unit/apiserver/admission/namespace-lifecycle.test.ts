import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { JsonObject } from "../../../../src/apimachinery/json/json.ts";
import type { AdmissionAttributes } from "../../../../src/apiserver/registry/admission.ts";
import { createNamespaceLifecycle } from "../../../../src/kube/admission/namespace-lifecycle.ts";
import { namespace, TestApi } from "../endpoints/support.ts";
import { refusal } from "../registry/support.ts";
import { asked } from "./support.ts";

let api: TestApi;
beforeEach(async () => {
  api = await TestApi.open();
  await api.post("/api/v1/namespaces", namespace("going"));
  await api.send("DELETE", "/api/v1/namespaces/going");
});
afterEach(() => api[Symbol.asyncDispose]());

function admit(operation: AdmissionAttributes["operation"], resource: string, at: string, name = "c") {
  const plugin = createNamespaceLifecycle({ store: api.store });
  return refusal(() => plugin.admit(asked(resource, { operation, namespace: at, name })));
}

describe("nothing is made", () => {
  test("where there is no namespace", () => {
    expect(admit("CREATE", "configmaps", "none")).toBe('404 namespaces "none" not found');
  });

  test("where the namespace is going, and the cause says so", () => {
    expect(admit("CREATE", "configmaps", "going")).toBe(
      '403 configmaps "c" is forbidden: unable to create new content in namespace going because it is being terminated',
    );
  });
});

test.each<[string, JsonObject, string]>([
  ["what its name will begin with", { generateName: "x-" }, "x-"],
  ["the name that it says", { name: "n", generateName: "x-" }, "n"],
  ["no name at all", {}, "Unknown"],
])("a refusal names an object by %s", async (_rule, metadata, shown) => {
  const object = { apiVersion: "v1", kind: "ConfigMap", metadata };
  expect(await api.post("/api/v1/namespaces/going/configmaps", object)).toMatchObject({
    status: 403,
    body: {
      message: expect.stringMatching(`^configmaps "${shown}" is forbidden: unable to create`),
      details: { name: shown },
    },
  });
});

test.each<[string, AdmissionAttributes["operation"], string, string]>([
  ["an object in a namespace is made", "CREATE", "configmaps", "default"],
  ["a cluster-scoped object is made", "CREATE", "nodes", ""],
  ["an object in a namespace that goes is changed", "UPDATE", "configmaps", "going"],
  ["an object in a namespace that goes is deleted", "DELETE", "configmaps", "going"],
])("%s", (_rule, operation, resource, at) => {
  expect(admit(operation, resource, at)).toBeUndefined();
});

test.each(["default", "kube-system", "kube-public"])("the namespace %s is never deleted", (name) => {
  expect(admit("DELETE", "namespaces", "", name)).toBe(
    `403 namespaces "${name}" is forbidden: this namespace may not be deleted`,
  );
});

test.each(["kube-node-lease", "other"])("the namespace %s may be deleted", (name) => {
  expect(admit("DELETE", "namespaces", "", name)).toBeUndefined();
});

test("an object that is called like such a namespace may be deleted", () => {
  expect(admit("DELETE", "configmaps", "default", "kube-system")).toBeUndefined();
});
