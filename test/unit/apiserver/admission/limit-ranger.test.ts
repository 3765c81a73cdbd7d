import { afterEach, beforeEach, expect, test } from "vitest";
import type { JsonObject } from "../../../../src/apimachinery/json/json.ts";
import type { TestApi } from "../endpoints/support.ts";
import { container, NAMESPACE, openWithPlugins, pod } from "./support.ts";

let api: TestApi;
beforeEach(async () => {
  api = await openWithPlugins();
});
afterEach(() => api[Symbol.asyncDispose]());

const limit = (name: string, ...limits: JsonObject[]) =>
  api.post(`${NAMESPACE}/limitranges`, { metadata: { name }, spec: { limits } });

const ask = async (spec: JsonObject, query = ""): Promise<unknown> => {
  const answer = await api.post(`${NAMESPACE}/pods${query}`, pod("a", spec));
  return answer.status === 201 ? "made" : answer.body["message"];
};

test("containers get what they do not ask for, also those of the start", async () => {
  await limit("l", { type: "Container", default: { cpu: "1" }, defaultRequest: { cpu: "100m" } });
  const spec = { initContainers: [container("i")], containers: [container("c", { limits: { cpu: "50m" } })] };
  const { body } = await api.post(`${NAMESPACE}/pods`, pod("a", spec));
  expect(body).toMatchObject({
    metadata: {
      annotations: {
        "kubernetes.io/limit-ranger":
          "LimitRanger plugin set: cpu request for init container i; cpu limit for init container i",
      },
    },
    spec: {
      initContainers: [{ resources: { requests: { cpu: "100m" }, limits: { cpu: "1" } } }],
      containers: [{ resources: { requests: { cpu: "50m" }, limits: { cpu: "50m" } } }],
    },
  });
});

test.each<[string, JsonObject, JsonObject, string]>([
  ["enough", { min: { cpu: "1" } }, { requests: { cpu: "1" } }, "made"],
  [
    "too little",
    { min: { cpu: "1" } },
    { requests: { cpu: "1m" } },
    "minimum cpu usage per Container is 1, but request is 1m",
  ],
  [
    "a limit beyond, and a ratio",
    { max: { cpu: "1" }, maxLimitRequestRatio: { cpu: "2" } },
    { requests: { cpu: "500m" }, limits: { cpu: "1500m" } },
    "[maximum cpu usage per Container is 1, but limit is 1500m, cpu max limit to request ratio per Container is 2, but provided ratio is 3.000000]",
  ],
  [
    "no request where a ratio is",
    { maxLimitRequestRatio: { memory: "2" } },
    {},
    "memory max limit to request ratio per Container is 2, but no request is specified or request is 0",
  ],
  [
    "no limit where a ratio is",
    { maxLimitRequestRatio: { memory: "2" } },
    { requests: { memory: "1Mi" } },
    "memory max limit to request ratio per Container is 2, but no limit is specified or limit is 0",
  ],
])("a container that asks for %s", async (_what, bounds, resources, expected) => {
  expect((await limit("l", { type: "Container", ...bounds })).status).toBe(201);
  const spec = { containers: [container("c", resources)] };
  const told = expected === "made" ? expected : `pods "a" is forbidden: ${expected}`;
  expect(await ask(spec, "?dryRun=All")).toBe(told);
});

test("a Pod is what its containers need at the worst moment", async () => {
  await limit("l", { type: "Pod", max: { cpu: "2" } });
  const cpu = (amount: string) => ({ limits: { cpu: amount } });
  const stays = { ...container("s", cpu("500m")), restartPolicy: "Always" };
  const of = (start: string, run: string) => ({
    initContainers: [stays, container("i", cpu(start))],
    containers: [container("c", cpu(run))],
  });
  expect(await ask(of("1500m", "1500m"), "?dryRun=All")).toBe("made");
  const rule = 'pods "a" is forbidden: maximum cpu usage per Pod is 2, but limit is';
  expect(await ask(of("1600m", "1"))).toBe(`${rule} 2100m`);
  expect(await ask(of("1", "1700m"))).toBe(`${rule} 2200m`);
});

test("what is there already is not looked at", async () => {
  await ask({});
  await limit("l", { type: "Container", min: { cpu: "1" } });
  const path = `${NAMESPACE}/pods/a`;
  const { body } = await api.get(path);
  expect((await api.put(path, body)).status).toBe(200);
});
