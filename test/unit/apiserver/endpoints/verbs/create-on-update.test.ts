// Writes to an object that does not exist: which of them create it, and which return NotFound.
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { JsonObject } from "../../../../../src/apimachinery/json/json.ts";
import { alwaysAllow } from "../../../../../src/apiserver/authorization/access-check.ts";
import type { AccessAttributes } from "../../../../../src/apiserver/registry/definition/request-context.ts";
import { builtInView, contextFor, decoded } from "../../registry/support.ts";
import { configMap, TestApi } from "../support.ts";

const CORE = "/api/v1/namespaces/default";

let api: TestApi;
beforeEach(async () => {
  api = await TestApi.open();
});
afterEach(() => api[Symbol.asyncDispose]());

const service = (more: JsonObject = {}) => ({
  apiVersion: "v1",
  kind: "Service",
  metadata: { name: "s" },
  spec: { clusterIP: "None", clusterIPs: ["None"], ports: [{ port: 80 }] },
  ...more,
});

describe("the status of what is not there", () => {
  test.each<[string, string, string, string, string]>([
    ["a Namespace", "v1", "Namespace", "/api/v1/namespaces/x", 'namespaces "x" not found'],
    ["a Node", "v1", "Node", "/api/v1/nodes/x", 'nodes "x" not found'],
    ["a Pod", "v1", "Pod", `${CORE}/pods/x`, 'pods "x" not found'],
    [
      "a Deployment",
      "apps/v1",
      "Deployment",
      "/apis/apps/v1/namespaces/default/deployments/x",
      'deployments.apps "x" not found',
    ],
  ])("makes no object: %s", async (_kind, apiVersion, kind, url, message) => {
    const body = { apiVersion, kind, metadata: { name: "x" } };
    const missing = { status: 404, body: { message, reason: "NotFound" } };
    expect(await api.apply("m", `${url}/status`, body)).toMatchObject(missing);
    expect(await api.put(`${url}/status`, body)).toMatchObject(missing);
    expect((await api.get(url)).status).toBe(404);
  });

  test("makes a Service, where a PUT of one does", async () => {
    const applied = await api.apply("m", `${CORE}/services/s/status`, service());
    expect(applied).toMatchObject({
      status: 201,
      body: { spec: { clusterIP: "None", clusterIPs: ["None"] } },
    });
    await api.send("DELETE", `${CORE}/services/s`);
    const status = { conditions: [{ type: "Ready" }] };
    const put = await api.put(`${CORE}/services/s/status`, service({ status }));
    expect(put).toMatchObject({
      status: 201,
      body: { metadata: { managedFields: [{ operation: "Update", subresource: "status" }] } },
    });
    expect(JSON.stringify(put.body["metadata"])).not.toContain("f:spec");
  });
});

describe("a PUT that makes the object", () => {
  test("may name a resourceVersion", async () => {
    const endpoints = (resourceVersion: string, name = "e") => ({
      apiVersion: "v1",
      kind: "Endpoints",
      metadata: { name, resourceVersion },
    });
    expect(await api.put(`${CORE}/endpoints/e`, endpoints("5"))).toMatchObject({
      status: 201,
      body: { metadata: { resourceVersion: String(api.store.revision) } },
    });
    expect((await api.put(`${CORE}/endpoints/e`, endpoints("5"))).status).toBe(409);
    expect(await api.put(`${CORE}/endpoints/f`, endpoints("x", "f"))).toMatchObject({
      status: 500,
      body: { message: 'strconv.ParseUint: parsing "x": invalid syntax' },
    });
  });
});

describe("who may change but not make", () => {
  const asked: AccessAttributes[] = [];
  let guarded: TestApi;
  beforeEach(async () => {
    asked.length = 0;
    const authorize = (attributes: AccessAttributes) => {
      asked.push(attributes);
      const isNamespace = attributes.type === "resource" && attributes.resource === "namespaces";
      return { allowed: attributes.verb !== "create" || isNamespace, reason: "" };
    };
    guarded = await TestApi.open({ authorizer: { ...alwaysAllow, authorize } });
  });
  afterEach(() => guarded[Symbol.asyncDispose]());

  const endpoints = { apiVersion: "v1", kind: "Endpoints", metadata: { name: "byview" } };

  test("makes nothing by a PUT", async () => {
    const { status, body } = await guarded.put(`${CORE}/endpoints/byview`, endpoints);
    expect({ status, body }).toMatchObject({
      status: 403,
      body: {
        reason: "Forbidden",
        message: 'endpoints "byview" is forbidden: ',
        details: { name: "byview", kind: "endpoints" },
      },
    });
    expect(asked.at(-1)).toEqual({
      type: "resource",
      user: { name: "test", groups: [] },
      verb: "create",
      group: "",
      version: "v1",
      resource: "endpoints",
      subresource: "",
      namespace: "default",
      name: "byview",
    });
    expect((await guarded.get(`${CORE}/endpoints/byview`)).status).toBe(404);
  });

  test("makes nothing by an apply, nor by one to a status", async () => {
    expect(await guarded.apply("m", `${CORE}/configmaps/c`, configMap("c"))).toMatchObject({
      status: 403,
      body: { message: 'configmaps "c" is forbidden: ' },
    });
    expect(await guarded.apply("m", `${CORE}/services/s/status`, service())).toMatchObject({
      status: 403,
      body: { message: 'services "s" is forbidden: ' },
    });
    expect(asked.at(-1)).toMatchObject({ verb: "create", subresource: "status" });
  });

  test("learns first what is wrong with the object", async () => {
    const subsets = [{ ports: [{ port: 0 }] }];
    expect((await guarded.put(`${CORE}/endpoints/byview`, { ...endpoints, subsets })).status).toBe(422);
  });

  test("changes what somebody else has made", async () => {
    await guarded.resources.create({
      view: builtInView("configmaps"),
      namespace: "default",
      decoded: decoded(configMap("c")),
      context: contextFor(),
    });
    asked.length = 0;
    expect((await guarded.apply("m", `${CORE}/configmaps/c`, configMap("c"))).status).toBe(200);
    expect(asked).toMatchObject([{ verb: "patch" }]);
  });
});
