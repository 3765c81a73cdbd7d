import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { JsonObject } from "../../../../../src/apimachinery/json/json.ts";
import { namespace, TestApi } from "../support.ts";

let api: TestApi;
beforeEach(async () => {
  api = await TestApi.open();
  await api.post("/api/v1/namespaces", namespace("t1"));
  await api.post("/api/v1/namespaces/t1/pods", {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "p", finalizers: ["example.com/stay"] },
    spec: { containers: [{ name: "c", image: "i" }] },
  });
  await api.send("DELETE", "/api/v1/namespaces/t1");
});
afterEach(() => api[Symbol.asyncDispose]());

const binding = {
  apiVersion: "v1",
  kind: "Binding",
  metadata: { name: "p" },
  target: { kind: "Node", name: "n" },
};
const eviction = { apiVersion: "policy/v1", kind: "Eviction", metadata: { name: "p" } };
const tokenRequest = { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec: {} };

describe("what is posted below an object is new content of its namespace", () => {
  test.each<[string, string, string, JsonObject]>([
    ["an eviction", "pods", "pods/p/eviction", eviction],
    ["a binding", "pods", "pods/p/binding", binding],
    ["a binding posted to the namespace", "bindings", "bindings", binding],
    ["a request for a token", "serviceaccounts", "serviceaccounts/p/token", tokenRequest],
  ])("%s", async (_what, resource, path, body) => {
    const going = await api.post(`/api/v1/namespaces/t1/${path}`, body);
    expect({ status: going.status, body: going.body }).toMatchObject({
      status: 403,
      body: {
        message: `${resource} "p" is forbidden: unable to create new content in namespace t1 because it is being terminated`,
        details: {
          name: "p",
          kind: resource,
          causes: [
            {
              reason: "NamespaceTerminating",
              message: "namespace t1 is being terminated",
              field: "metadata.namespace",
            },
          ],
        },
      },
    });
    const nowhere = await api.post(`/api/v1/namespaces/nope/${path}`, body);
    expect({ status: nowhere.status, body: nowhere.body }).toMatchObject({
      status: 404,
      body: { message: 'namespaces "nope" not found' },
    });
  });
});

test("who may do what in a namespace may be asked whether it is there or not", async () => {
  for (const name of ["t1", "nope"]) {
    const answer = await api.post(
      `/apis/authorization.k8s.io/v1/namespaces/${name}/localsubjectaccessreviews`,
      {
        apiVersion: "authorization.k8s.io/v1",
        kind: "LocalSubjectAccessReview",
        metadata: { namespace: name },
        spec: { user: "u", resourceAttributes: { namespace: name, verb: "get", resource: "pods" } },
      },
    );
    expect(answer.status).toBe(201);
  }
});
