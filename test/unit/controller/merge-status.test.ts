import { beforeEach, expect, test } from "vitest";
import type { KubeObject } from "../../../src/apimachinery/meta/object-meta.ts";
import { mergeStatus } from "../../../src/controller/api.ts";
import { ApiWorld, NODES } from "../../support/api-world.ts";

const KEY = { namespace: "", name: "n1" };
const condition = (type: string) => ({ type, status: "True" });
const status = { conditions: [condition("Ready")] };

let world: ApiWorld;
let node: KubeObject;
beforeEach(async () => {
  world = await ApiWorld.open([]);
  node = await world.create(NODES, KEY, { status: { conditions: [condition("DiskPressure")] } });
});

const conditions = async () =>
  ((await world.get(NODES, KEY))?.["status"] as { conditions?: unknown[] } | undefined)?.conditions;

test("what is merged into a status leaves the other items of its lists", async () => {
  expect(await mergeStatus(world.client, NODES, node, { status })).toBeDefined();
  expect(await conditions()).toEqual([
    expect.objectContaining({ type: "Ready" }),
    expect.objectContaining({ type: "DiskPressure" }),
  ]);
});

test("an object that has gone is not told, nor is another one of its name", async () => {
  await world.client.delete(NODES, KEY);
  expect(await mergeStatus(world.client, NODES, node, { status })).toBeUndefined();
  await world.create(NODES, KEY);
  expect(await mergeStatus(world.client, NODES, node, { status })).toBeUndefined();
  expect(await conditions()).toBeUndefined();
});
