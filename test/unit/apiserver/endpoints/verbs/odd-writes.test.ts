// Writes that a fuzzer sent to a kube-apiserver, and the rules that its answers share.
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { JsonObject } from "../../../../../src/apimachinery/json/json.ts";
import { customView } from "../../registry/support.ts";
import { configMap, TestApi, THINGS, thing } from "../support.ts";

const CORE = "/api/v1/namespaces/default";
const CONFIG_MAPS = `${CORE}/configmaps`;

let api: TestApi;
beforeEach(async () => {
  api = await TestApi.open();
});
afterEach(() => api[Symbol.asyncDispose]());

const managersOf = (body: JsonObject): unknown => (body["metadata"] as JsonObject)["managedFields"];

describe("a new object", () => {
  test("keeps what it says of its managers, and its writer is added", async () => {
    const given = {
      manager: "other",
      operation: "Update",
      apiVersion: "v1",
      time: "2020-01-01T00:00:00Z",
      fieldsType: "FieldsV1",
      fieldsV1: { "f:data": { "f:a": {} } },
    };
    const object = configMap("t", { data: { b: "1" }, metadata: { name: "t", managedFields: [given] } });
    const { body } = await api.post(CONFIG_MAPS, object);
    expect(managersOf(body)).toHaveLength(2);
    expect(managersOf(body)).toContainEqual(given);
  });

  test("that is not stored keeps any resourceVersion", async () => {
    const object = configMap("t", { metadata: { name: "t", resourceVersion: "7" } });
    const { status, body } = await api.post(`${CONFIG_MAPS}?dryRun=All`, object);
    expect([status, (body["metadata"] as JsonObject)["resourceVersion"]]).toEqual([201, "7"]);
    expect((await api.post(CONFIG_MAPS, object)).status).toBe(500);
  });
});

test("an immutable ConfigMap tells what is empty from what is not there", async () => {
  await api.post(CONFIG_MAPS, configMap("t", { immutable: true }));
  const put = (more: JsonObject) => api.put(`${CONFIG_MAPS}/t`, configMap("t", { immutable: true, ...more }));
  expect((await put({})).status).toBe(200);
  expect(await put({ binaryData: {} })).toMatchObject({
    status: 422,
    body: {
      message: 'ConfigMap "t" is invalid: binaryData: Forbidden: field is immutable when `immutable` is set',
    },
  });
});

test("an Ingress without rules shows whether it has a list of none", async () => {
  const ingresses = "/apis/networking.k8s.io/v1/namespaces/default/ingresses";
  const ingress = (spec: JsonObject) => ({
    apiVersion: "networking.k8s.io/v1",
    kind: "Ingress",
    metadata: { name: "i" },
    spec,
  });
  const said = async (spec: JsonObject) => (await api.post(ingresses, ingress(spec))).body["message"];
  const rule = "either `defaultBackend` or `rules` must be specified";
  expect(await said({ rules: [] })).toBe(
    `Ingress.networking.k8s.io "i" is invalid: spec: Invalid value: []: ${rule}`,
  );
  expect(await said({})).toBe(`Ingress.networking.k8s.io "i" is invalid: spec: Invalid value: null: ${rule}`);
});

test("the metadata of an Event is looked at when all else is right", async () => {
  const event = (namespace: string) => ({
    apiVersion: "v1",
    kind: "Event",
    metadata: { name: "e", labels: { "/x": "a" } },
    involvedObject: { kind: "Pod", name: "p", namespace },
  });
  const said = async (namespace: string) =>
    (await api.post(`${CORE}/events`, event(namespace))).body["message"];
  expect(await said("other")).toBe(
    'Event "e" is invalid: involvedObject.namespace: Invalid value: "other": does not match event.namespace',
  );
  expect(await said("default")).toContain("metadata.labels: Invalid value");
});

test("a custom resource of another version is named by what it says of itself", async () => {
  api.registry.set(customView({ type: "object" }).definition);
  await api.post(THINGS, thing("t"));
  const patch = [{ op: "replace", path: "/apiVersion", value: "10.0.0.1" }];
  const { body } = await api.patch("application/json-patch+json", `${THINGS}/t`, patch);
  expect(body["message"]).toContain('Thing "t" is invalid: apiVersion: Invalid value: "10.0.0.1": must be');
});

test("a Service that is made by its status gets no address", async () => {
  const service = { apiVersion: "v1", kind: "Service", metadata: { name: "s" }, spec: { clusterIP: "None" } };
  expect((await api.put(`${CORE}/services/s/status`, service)).body["message"]).toBe(
    'Service "s" is invalid: [spec.ports: Required value, spec.clusterIPs: Required value]',
  );
});
