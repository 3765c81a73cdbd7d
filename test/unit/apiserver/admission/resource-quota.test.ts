import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { JsonObject } from "../../../../src/apimachinery/json/json.ts";
import { MERGE_PATCH, type TestApi } from "../endpoints/support.ts";
import { container, NAMESPACE, openWithPlugins, pod } from "./support.ts";

let api: TestApi;
beforeEach(async () => {
  api = await openWithPlugins();
});
afterEach(() => api[Symbol.asyncDispose]());

const QUOTA = `${NAMESPACE}/resourcequotas/q`;

/** A quota that has been counted. */
async function limitTo(hard: JsonObject, spec: JsonObject = {}): Promise<void> {
  await api.post(`${NAMESPACE}/resourcequotas`, { metadata: { name: "q" }, spec: { hard, ...spec } });
  const used = Object.fromEntries(Object.keys(hard).map((name) => [name, "0"]));
  await api.patch(MERGE_PATCH, `${QUOTA}/status`, { status: { hard, used } });
}

const usedOf = async (): Promise<unknown> => {
  const { body } = await api.get(QUOTA);
  return (body["status"] as JsonObject)["used"];
};

const configMap = (name: string) => api.post(`${NAMESPACE}/configmaps`, { metadata: { name } });
const reasonOf = ({ body }: { body: JsonObject }) => String(body["message"]);

test("a hundred who come at once get no more than there is, and each is counted once", async () => {
  await limitTo({ "count/configmaps": "30", configmaps: "40" });
  const answers = await Promise.all(Array.from({ length: 100 }, (_, index) => configMap(`m${index}`)));
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(30);
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201, 403]));
  expect(await usedOf()).toEqual({ configmaps: "30", "count/configmaps": "30" });
  const { body } = await api.get(`${NAMESPACE}/configmaps`);
  expect(body["items"]).toHaveLength(30);
});

test("who changes a quota meanwhile makes nobody fail", async () => {
  await limitTo({ "count/configmaps": "30" });
  const label = (value: string) => api.patch(MERGE_PATCH, QUOTA, { metadata: { labels: { value } } });
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, index) => [configMap(`m${index}`), label(`v${index}`)]).flat(),
  );
  expect(answers.filter(({ status }) => status > 201)).toEqual([]);
  expect(await usedOf()).toEqual({ "count/configmaps": "20" });
});

test("what fails and what is only tried costs nothing", async () => {
  await limitTo({ "count/configmaps": "2" });
  await configMap("a");
  expect((await configMap("a")).status).toBe(409);
  expect((await api.post(`${NAMESPACE}/configmaps?dryRun=All`, { metadata: { name: "b" } })).status).toBe(
    201,
  );
  expect(await usedOf()).toEqual({ "count/configmaps": "1" });
  await configMap("b");
  const tried = await api.post(`${NAMESPACE}/configmaps?dryRun=All`, { metadata: { name: "c" } });
  expect(reasonOf(tried)).toBe(
    'configmaps "c" is forbidden: exceeded quota: q, requested: count/configmaps=1, used: count/configmaps=2, limited: count/configmaps=2',
  );
});

test("the status is the server's own", async () => {
  await limitTo({ "count/configmaps": "2" });
  await configMap("a");
  const { body } = await api.get(QUOTA);
  const entries = (body["metadata"] as { managedFields: JsonObject[] }).managedFields;
  expect(entries.map(({ manager, subresource }) => [manager, subresource])).toContainEqual([
    "kube-apiserver",
    "status",
  ]);
});

test("a quota that was not counted yet holds nobody, one that was counted in part holds all", async () => {
  await api.post(`${NAMESPACE}/resourcequotas`, { metadata: { name: "q" }, spec: { hard: { pods: "0" } } });
  expect((await api.post(`${NAMESPACE}/pods`, pod("a"))).status).toBe(201);
  await api.patch(MERGE_PATCH, `${QUOTA}/status`, { status: { hard: { pods: "5", "count/pods": "5" } } });
  expect(reasonOf(await api.post(`${NAMESPACE}/pods`, pod("b")))).toBe(
    'pods "b" is forbidden: status unknown for quota: q, resources: count/pods,pods',
  );
});

describe("of Pods", () => {
  const asks = (cpu: string) => ({ containers: [container("c", { requests: { cpu } })] });

  test("only those in its scope count", async () => {
    await limitTo({ pods: "1" }, { scopes: ["BestEffort", "NotTerminating"] });
    expect((await api.post(`${NAMESPACE}/pods`, pod("a", asks("1")))).status).toBe(201);
    expect((await api.post(`${NAMESPACE}/pods`, pod("b", { activeDeadlineSeconds: 5 }))).status).toBe(201);
    expect(await usedOf()).toEqual({ pods: "0" });
    expect((await api.post(`${NAMESPACE}/pods`, pod("c"))).status).toBe(201);
    expect((await api.post(`${NAMESPACE}/pods`, pod("d"))).status).toBe(403);
  });

  test("several containers must say how much they want", async () => {
    await limitTo({ "requests.cpu": "2", cpu: "2", "limits.memory": "1Gi", "requests.storage": "1" });
    const spec = {
      initContainers: [container("i")],
      containers: [container("d"), container("c", { requests: { cpu: "1" } })],
    };
    expect(reasonOf(await api.post(`${NAMESPACE}/pods`, pod("a", spec)))).toBe(
      'pods "a" is forbidden: failed quota: q: must specify cpu for: d,i; limits.memory for: c,d,i; requests.cpu for: d,i',
    );
  });

  test("what runs beside them counts as well", async () => {
    await limitTo({ "requests.cpu": "2", "requests.example.com/gpu": "3" });
    const gpus = { "example.com/gpu": "2", cpu: "1" };
    const spec = { containers: [container("c", { requests: gpus, limits: gpus })] };
    expect((await api.post(`${NAMESPACE}/pods`, pod("a", spec))).status).toBe(201);
    expect(await usedOf()).toEqual({ "requests.cpu": "1", "requests.example.com/gpu": "2" });
    expect(reasonOf(await api.post(`${NAMESPACE}/pods`, pod("b", spec)))).toBe(
      'pods "b" is forbidden: exceeded quota: q, requested: requests.example.com/gpu=2, used: requests.example.com/gpu=2, limited: requests.example.com/gpu=3',
    );
  });
});

test("a Service that becomes another one is charged for what is new", async () => {
  await limitTo({ services: "1", "services.nodeports": "1" });
  const path = `${NAMESPACE}/services`;
  const body = { metadata: { name: "s" }, spec: { ports: [{ name: "a", port: 80 }] } };
  expect((await api.post(path, body)).status).toBe(201);
  expect(await usedOf()).toEqual({ services: "1", "services.nodeports": "0" });
  const two = [
    { name: "a", port: 80 },
    { name: "b", port: 81 },
  ];
  const asked = await api.patch(MERGE_PATCH, `${path}/s`, { spec: { type: "NodePort", ports: two } });
  expect(reasonOf(asked)).toBe(
    'services "s" is forbidden: exceeded quota: q, requested: services.nodeports=2, used: services.nodeports=0, limited: services.nodeports=1',
  );
  expect((await api.patch(MERGE_PATCH, `${path}/s`, { spec: { type: "NodePort" } })).status).toBe(200);
  expect(await usedOf()).toEqual({ services: "1", "services.nodeports": "1" });
});
