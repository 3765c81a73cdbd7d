import { beforeEach, expect, test } from "vitest";
import { flowControl } from "../../../../../src/kube/controllers/flow-control.ts";
import { flowControlObjects } from "../../../../../src/kube/flowcontrol.apiserver.k8s.io/bootstrap.ts";
import { ApiWorld } from "../../../../support/api-world.ts";

const GROUP = { group: "flowcontrol.apiserver.k8s.io", version: "v1" };
const SCHEMAS = { ...GROUP, resource: "flowschemas" };
const LEVELS = { ...GROUP, resource: "prioritylevelconfigurations" };
const named = (name: string) => ({ namespace: "", name });
const MINUTE_MS = 60_000;

let world: ApiWorld;
beforeEach(async () => {
  const create: typeof flowControl.create = (deps) =>
    flowControl.create({ ...deps, flowControlObjects: flowControlObjects() });
  world = await ApiWorld.open([{ ...flowControl, create }]);
  await world.settled();
});

const conditionsOf = async (name: string) => {
  await world.settled();
  return (await world.get(SCHEMAS, named(name)))?.["status"];
};

test("a cluster has its schemas and levels, and those that went come back within a minute", async () => {
  expect((await world.client.list(SCHEMAS)).items).toHaveLength(11);
  expect((await world.client.list(LEVELS)).items).toHaveLength(8);
  await world.client.delete(LEVELS, named("catch-all"));
  await world.settled();
  expect(await world.get(LEVELS, named("catch-all"))).toBeUndefined();
  await world.clock.advance(MINUTE_MS);
  await world.settled();
  expect(await world.get(LEVELS, named("catch-all"))).toMatchObject({ spec: { type: "Limited" } });
});

test("what is kept is as it was made, what somebody keeps himself is his, and what is no longer kept goes", async () => {
  const level = await world.get(LEVELS, named("system"));
  const limited = { limitResponse: { type: "Reject" } };
  const spec = { type: "Limited", limited };
  const kept = { "apf.kubernetes.io/autoupdate-spec": "true" };
  await world.create(LEVELS, { name: "old", annotations: kept }, { spec });
  await world.create(LEVELS, { name: "mine" }, { spec });
  await world.client.patch(LEVELS, named("system"), {
    type: "merge",
    body: { spec: { limited: { nominalConcurrencyShares: 1 } } },
  });
  await world.client.patch(LEVELS, named("node-high"), {
    type: "merge",
    body: { metadata: { annotations: null }, spec: { limited: { nominalConcurrencyShares: 1 } } },
  });
  await world.clock.advance(MINUTE_MS);
  await world.settled();
  expect((await world.get(LEVELS, named("system")))?.["spec"]).toEqual(level?.["spec"]);
  expect(await world.get(LEVELS, named("node-high"))).toMatchObject({
    spec: { limited: { nominalConcurrencyShares: 1 } },
  });
  expect(await world.get(LEVELS, named("old"))).toBeUndefined();
  expect(await world.get(LEVELS, named("mine"))).toBeDefined();
});

test("a schema says whether its level is there", async () => {
  const spec = { priorityLevelConfiguration: { name: "mine" }, matchingPrecedence: 5 };
  await world.create(SCHEMAS, { name: "a" }, { spec });
  const named1 = 'This FlowSchema references the PriorityLevelConfiguration object named "mine"';
  expect(await conditionsOf("a")).toMatchObject({
    conditions: [
      {
        type: "Dangling",
        status: "True",
        reason: "NotFound",
        message: `${named1} but there is no such object`,
      },
    ],
  });
  const level = { spec: { type: "Limited", limited: { limitResponse: { type: "Reject" } } } };
  await world.create(LEVELS, { name: "mine" }, level);
  expect(await conditionsOf("a")).toMatchObject({
    conditions: [{ type: "Dangling", status: "False", reason: "Found", message: `${named1} and it exists` }],
  });
  await world.client.delete(LEVELS, named("mine"));
  expect(await conditionsOf("a")).toMatchObject({ conditions: [{ status: "True" }] });
});
