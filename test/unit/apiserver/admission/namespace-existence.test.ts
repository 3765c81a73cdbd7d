import { afterEach, beforeEach, expect, test } from "vitest";
import { alreadyExists, badRequest } from "../../../../src/apimachinery/meta/status.ts";
import { alwaysAllow } from "../../../../src/apiserver/authorization/access-check.ts";
import type { AdmissionAttributes } from "../../../../src/apiserver/registry/admission.ts";
import {
  createNamespaceAutoProvision,
  createNamespaceExists,
} from "../../../../src/kube/admission/namespace-existence.ts";
import { namespace, TestApi } from "../endpoints/support.ts";
import { contextFor, refusal } from "../registry/support.ts";
import { asked } from "./support.ts";

let api: TestApi;
beforeEach(async () => {
  api = await TestApi.open();
});
afterEach(() => api[Symbol.asyncDispose]());

const NAMESPACES = "/api/v1/namespaces";
const NEW = `${NAMESPACES}/new`;
const configMap = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" } };

function provision(error?: Error): void {
  api.admission.unshift(
    createNamespaceAutoProvision({
      store: api.store,
      authorizer: alwaysAllow,
      async createNamespace(name) {
        if (error) throw error;
        await api.post(NAMESPACES, namespace(name));
      },
    }),
  );
}

test("a namespace is created for the first object in it, and stays when the object is invalid", async () => {
  provision();
  expect(
    (await api.post(`${NEW}/pods`, { apiVersion: "v1", kind: "Pod", metadata: { name: "a" } })).status,
  ).toBe(422);
  expect((await api.get(NEW)).status).toBe(200);
  expect((await api.post(`${NEW}/configmaps`, configMap)).status).toBe(201);
});

test("a namespace is created for a review in it", async () => {
  provision();
  const review = { apiVersion: "authorization.k8s.io/v1", kind: "LocalSubjectAccessReview" };
  const spec = { user: "x", resourceAttributes: { namespace: "new", verb: "get", resource: "pods" } };
  const path = "/apis/authorization.k8s.io/v1/namespaces/new/localsubjectaccessreviews";
  expect((await api.post(path, { ...review, metadata: { namespace: "new" }, spec })).status).toBe(201);
  expect((await api.get(NEW)).status).toBe(200);
});

test("a dry run, a change and an object without a namespace create none", async () => {
  provision();
  expect((await api.post(`${NEW}/configmaps?dryRun=All`, configMap)).status).toBe(404);
  expect((await api.send("PUT", `${NEW}/configmaps/a`, { body: configMap })).status).toBe(404);
  expect(
    (await api.post("/api/v1/nodes", { apiVersion: "v1", kind: "Node", metadata: { name: "new" } })).status,
  ).toBe(201);
  expect((await api.get(NEW)).status).toBe(404);
});

test("another request may create the namespace first", async () => {
  provision(alreadyExists({ group: "", resource: "namespaces" }, "new"));
  expect((await api.post(`${NEW}/configmaps`, configMap)).body["message"]).toBe('namespaces "new" not found');
});

test("a namespace that cannot be created is the reason of the answer", async () => {
  provision(badRequest("no such name"));
  expect((await api.post(`${NEW}/configmaps`, configMap)).body).toMatchObject({
    code: 403,
    message: 'configmaps "a" is forbidden: no such name',
  });
});

test.each<[AdmissionAttributes["operation"], string, string, string | undefined]>([
  ["CREATE", "configmaps", "new", '404 namespaces "new" not found'],
  ["UPDATE", "configmaps", "new", '404 namespaces "new" not found'],
  ["DELETE", "configmaps", "new", '404 namespaces "new" not found'],
  ["CONNECT", "pods", "new", undefined],
  ["CREATE", "configmaps", "default", undefined],
  ["CREATE", "namespaces", "new", undefined],
  ["CREATE", "nodes", "", undefined],
])("NamespaceExists: %s of %s in %j is answered with %s", (operation, resource, at, answer) => {
  const attributes = asked(resource, { operation, namespace: at, context: contextFor() });
  expect(refusal(() => createNamespaceExists({ store: api.store }).validate?.(attributes))).toBe(answer);
});
