// The monitors of the garbage collector, over a client whose watches can be delayed and broken.
import { expect, test } from "vitest";
import type { KubeObject } from "../../../../../src/apimachinery/meta/object-meta.ts";
import type { ServedResource } from "../../../../../src/controller/api.ts";
import { garbageCollector } from "../../../../../src/kube/controllers/garbage-collector/controller.ts";
import { CONFIG_MAPS, core, EVENTS } from "../../../../support/api-world.ts";
import { FakeClient } from "../../../../support/fake-client.ts";
import { keptLog, ManualClock } from "../support.ts";
import { inA, ownedBy } from "./support.ts";

const VERBS = ["delete", "get", "list", "watch"];
const SERVED: readonly ServedResource[] = [
  { ...CONFIG_MAPS, kind: "ConfigMap", namespaced: true, verbs: VERBS },
  { ...EVENTS, kind: "Event", namespaced: true, verbs: VERBS },
  { ...core("bindings"), kind: "Binding", namespaced: true, verbs: ["create"] },
];

async function open() {
  const client = new FakeClient();
  const clock = new ManualClock();
  const watched = new Set<string>();
  const list = client.list.bind(client);
  client.list = (resource, options) => {
    watched.add(resource.resource);
    return list(resource, options);
  };
  const catalog = { list: () => SERVED, onChange: () => () => undefined };
  const collector = garbageCollector.create({ client, clock, log: keptLog(), catalog });
  await collector.start(new AbortController().signal);
  const create = (name: string, ownerReferences: KubeObject["metadata"]["ownerReferences"] = []) =>
    client.create(CONFIG_MAPS, {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { ...inA(name), ownerReferences },
    });
  const names = async () => (await client.list(CONFIG_MAPS)).items.map(({ metadata }) => metadata.name);
  return { client, collector, watched, create, names };
}

test("only what can be listed, watched and deleted is watched, and no events", async () => {
  const { watched } = await open();
  expect([...watched]).toEqual(["configmaps"]);
});

test("deletions that the watches missed are found by listing again", async () => {
  const { client, collector, create, names } = await open();
  const owner = await create("owner");
  await create("child", [ownedBy(owner)]);
  await collector.idle();
  client.holdEvents();
  await client.delete(CONFIG_MAPS, inA("owner"));
  client.compact();
  client.releaseEvents();
  await collector.idle();
  expect(await names()).toEqual([]);
});

test("watches that end are opened again", async () => {
  const { client, collector, create, names } = await open();
  const owner = await create("owner");
  await collector.idle();
  client.endWatches();
  await create("child", [ownedBy(owner)]);
  await collector.idle();
  await client.delete(CONFIG_MAPS, inA("owner"));
  await collector.idle();
  expect(await names()).toEqual([]);
});

test("an owner that the watches have not told of yet counts when the API has it", async () => {
  const { client, collector, create, names } = await open();
  client.holdEvents();
  const owner = await create("owner");
  await create("child", [ownedBy(owner)]);
  client.releaseEvents();
  await collector.idle();
  expect(await names()).toEqual(["child", "owner"]);
});
