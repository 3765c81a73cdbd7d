import { afterEach, beforeEach, expect, test } from "vitest";
import type { JsonObject } from "../../../../../src/apimachinery/json/json.ts";
import type { ResourceName } from "../../../../../src/controller/client.ts";
import { resourceQuota } from "../../../../../src/kube/controllers/resourcequota/controller.ts";
import { ApiWorld, CONFIG_MAPS, core } from "../../../../support/api-world.ts";

const QUOTAS = core("resourcequotas");
const PODS = core("pods");
const SERVICES = core("services");

let world: ApiWorld;
beforeEach(async () => {
  world = await ApiWorld.open([resourceQuota]);
});
afterEach(() => world.stop());

const limit = (hard: JsonObject, spec: JsonObject = {}) =>
  world.create(QUOTAS, { name: "q", namespace: "a" }, { spec: { hard, ...spec } });

async function statusOf(): Promise<unknown> {
  await world.settled();
  return (await world.get(QUOTAS, { namespace: "a", name: "q" }))?.["status"];
}

const at = (name: string, namespace = "a") => ({ name, namespace });
const containers = (cpu: string) => [{ name: "c", image: "i:1", resources: { requests: { cpu } } }];
const pod = (name: string, spec: JsonObject = {}) =>
  world.create(PODS, at(name), { spec: { containers: containers("300m"), ...spec } });
const setPhase = (name: string, phase: string) =>
  world.client
    .get(PODS, at(name))
    .then((live) => world.client.update(PODS, { ...live, status: { phase } }, "status"));

test("what was there before is counted, in its namespace alone", async () => {
  for (const namespace of ["a", "b"]) await world.create(CONFIG_MAPS, at("x", namespace));
  await limit({ configmaps: "3", "count/configmaps": "2", secrets: "1" });
  expect(await statusOf()).toEqual({
    hard: { configmaps: "3", "count/configmaps": "2", secrets: "1" },
    used: { configmaps: "1", "count/configmaps": "1", secrets: "0" },
  });
});

test("what goes is free again", async () => {
  for (const name of ["x", "y"]) await world.create(CONFIG_MAPS, at(name));
  await limit({ configmaps: "3" });
  expect(await statusOf()).toMatchObject({ used: { configmaps: "2" } });
  await world.client.delete(CONFIG_MAPS, at("x"));
  expect(await statusOf()).toMatchObject({ used: { configmaps: "1" } });
});

test("a Pod that has ended uses nothing, and is still there", async () => {
  await pod("x");
  await pod("y");
  await limit({ pods: "5", "count/pods": "5", "requests.cpu": "1" });
  expect(await statusOf()).toMatchObject({ used: { pods: "2", "count/pods": "2", "requests.cpu": "600m" } });
  await setPhase("x", "Succeeded");
  expect(await statusOf()).toMatchObject({ used: { pods: "1", "count/pods": "2", "requests.cpu": "300m" } });
});

test("only what is in scope is counted", async () => {
  const selector = { matchExpressions: [{ scopeName: "PriorityClass", operator: "In", values: ["high"] }] };
  await pod("x", { priorityClassName: "high", priority: 1 });
  await pod("y", { priorityClassName: "low", priority: 1 });
  await pod("z");
  await limit({ pods: "5", "count/configmaps": "1" }, { scopeSelector: selector });
  expect(await statusOf()).toMatchObject({ used: { pods: "1" } });
});

test("Services are counted by their type", async () => {
  const ports = [{ port: 80 }];
  await world.create(SERVICES, at("n"), { spec: { type: "NodePort", ports } });
  await world.create(SERVICES, at("l"), { spec: { type: "LoadBalancer", ports } });
  await limit({ services: "5", "services.nodeports": "5", "services.loadbalancers": "5" });
  expect(await statusOf()).toMatchObject({
    used: { services: "2", "services.nodeports": "2", "services.loadbalancers": "1" },
  });
  const live = await world.client.get(SERVICES, at("l"));
  await world.client.update(SERVICES, {
    ...live,
    spec: { ...(live["spec"] as JsonObject), type: "ClusterIP" },
  });
  expect(await statusOf()).toMatchObject({
    used: { services: "2", "services.nodeports": "1", "services.loadbalancers": "0" },
  });
});

test("another limit changes the status, and a name that is gone goes", async () => {
  await world.create(CONFIG_MAPS, at("x"));
  await limit({ configmaps: "3", secrets: "1" });
  await world.settled();
  const live = await world.client.get(QUOTAS, at("q"));
  await world.client.update(QUOTAS, { ...live, spec: { hard: { configmaps: "1" } } });
  expect(await statusOf()).toEqual({ hard: { configmaps: "1" }, used: { configmaps: "1" } });
});

test("a custom resource is counted, and followed, as soon as it is served", async () => {
  await limit({ "count/things.example.com": "2" });
  expect(await statusOf()).toEqual({ hard: { "count/things.example.com": "2" } });
  const things: ResourceName = world.serve("Thing", "Namespaced");
  expect(await statusOf()).toMatchObject({ used: { "count/things.example.com": "0" } });
  for (const name of ["x", "y"]) await world.create(things, at(name)); // admission would count them
  await world.client.delete(things, at("y"));
  expect(await statusOf()).toMatchObject({ used: { "count/things.example.com": "1" } });
});

test("who makes something while it is counted is not overlooked", async () => {
  let made = false;
  world.trouble = async () => {
    if (made) return undefined;
    made = true;
    await world.change(QUOTAS, { namespace: "a", name: "q" }, { labels: { a: "b" } });
    await world.create(CONFIG_MAPS, at("y"));
    return undefined;
  };
  await limit({ configmaps: "3" });
  await world.settled();
  world.clock.advance(10_000);
  expect(await statusOf()).toMatchObject({ used: { configmaps: "1" } });
});
