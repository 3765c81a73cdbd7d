import { describe, expect, test } from "vitest";
import { CONFIG_MAPS, NODES } from "../../../../support/api-world.ts";
import {
  BLOCKING,
  clusterWide,
  configMap,
  configMaps,
  inA,
  openCollected,
  ownedBy,
  ownersOf,
  remove,
} from "./support.ts";

const HELD = { finalizers: ["example.com/hold"] };

describe("deleted in the foreground, an object", () => {
  test("without dependents goes at once", async () => {
    const world = await openCollected();
    await configMap(world, "owner");
    await remove(world, "owner", "Foreground");
    await world.settled();
    expect(await configMaps(world)).toEqual([]);
  });

  test("waits for dependents that block, and takes the others with it", async () => {
    const world = await openCollected();
    const owner = await configMap(world, "owner");
    await configMap(world, "blocking", [ownedBy(owner, BLOCKING)], HELD);
    await configMap(world, "plain", [ownedBy(owner)]);
    await remove(world, "owner", "Foreground");
    await world.settled();
    expect(await configMaps(world)).toEqual(["blocking", "owner"]);
    await world.change(CONFIG_MAPS, inA("blocking"), { finalizers: null });
    await world.settled();
    expect(await configMaps(world)).toEqual([]);
  });

  test("does not wait for dependents that do not block", async () => {
    const world = await openCollected();
    const owner = await configMap(world, "owner");
    await configMap(world, "plain", [ownedBy(owner)], HELD);
    await remove(world, "owner", "Foreground");
    await world.settled();
    expect(await configMaps(world)).toEqual(["plain"]);
    expect((await world.get(CONFIG_MAPS, inA("plain")))?.metadata.deletionTimestamp).toBeDefined();
  });

  test("does not wait for a cluster-scoped object that names it although it is namespaced", async () => {
    const world = await openCollected();
    const owner = await configMap(world, "owner");
    await world.create(NODES, { name: "n", ownerReferences: [ownedBy(owner, BLOCKING)] });
    await remove(world, "owner", "Foreground");
    await world.settled();
    expect(await configMaps(world)).toEqual([]);
    expect(await world.names(NODES)).toEqual(["n"]);
  });

  test("goes after its dependents, and they after theirs", async () => {
    const world = await openCollected();
    const owner = await configMap(world, "owner");
    const child = await configMap(world, "child", [ownedBy(owner, BLOCKING)]);
    await configMap(world, "grandchild", [ownedBy(child, BLOCKING)], HELD);
    await remove(world, "owner", "Foreground");
    await world.settled();
    expect(await configMaps(world)).toEqual(["child", "grandchild", "owner"]);
    const { finalizers } = (await world.get(CONFIG_MAPS, inA("child")))?.metadata ?? {};
    expect(finalizers).toEqual(["foregroundDeletion"]);
    await world.change(CONFIG_MAPS, inA("grandchild"), { finalizers: null });
    await world.settled();
    expect(await configMaps(world)).toEqual([]);
  });

  test("loses a dependent that another owner keeps: the reference is taken away", async () => {
    const world = await openCollected();
    const owner = await configMap(world, "owner");
    const second = await configMap(world, "second");
    await configMap(world, "child", [ownedBy(owner, BLOCKING), ownedBy(second)]);
    await remove(world, "owner", "Foreground");
    await world.settled();
    expect(await configMaps(world)).toEqual(["child", "second"]);
    expect(await ownersOf(world, "child")).toEqual(["second"]);
  });

  test.each([
    ["is not named any more", null],
    ["is not blocked any more", "unblock"],
  ])("goes as soon as it %s", async (_rule, change) => {
    const world = await openCollected();
    const owner = await configMap(world, "owner");
    await configMap(world, "child", [ownedBy(owner, BLOCKING)], HELD);
    await remove(world, "owner", "Foreground");
    await world.settled();
    expect(await configMaps(world)).toEqual(["child", "owner"]);
    const ownerReferences = change === null ? null : [ownedBy(owner)];
    await world.change(CONFIG_MAPS, inA("child"), { ownerReferences });
    await world.settled();
    expect(await configMaps(world)).toEqual(["child"]);
  });

  test("waits for dependents that come while it waits", async () => {
    const world = await openCollected();
    const owner = await configMap(world, "owner");
    await configMap(world, "child", [ownedBy(owner, BLOCKING)], HELD);
    await remove(world, "owner", "Foreground");
    await world.settled();
    await configMap(world, "late", [ownedBy(owner, BLOCKING)], HELD);
    await world.change(CONFIG_MAPS, inA("child"), { finalizers: null });
    await world.settled();
    expect(await configMaps(world)).toEqual(["late", "owner"]);
    await world.change(CONFIG_MAPS, inA("late"), { finalizers: null });
    await world.settled();
    expect(await configMaps(world)).toEqual([]);
  });

  test("goes with the whole circle that it is part of", async () => {
    const world = await openCollected();
    const first = await configMap(world, "first");
    const second = await configMap(world, "second", [ownedBy(first, BLOCKING)]);
    const third = await configMap(world, "third", [ownedBy(second, BLOCKING)]);
    await world.change(CONFIG_MAPS, inA("first"), { ownerReferences: [ownedBy(third, BLOCKING)] });
    await remove(world, "first", "Foreground");
    await world.settled();
    expect(await configMaps(world)).toEqual([]);
  });

  test("goes although its own finalizers are taken away later", async () => {
    const world = await openCollected();
    const owner = await configMap(world, "owner", [], HELD);
    await configMap(world, "child", [ownedBy(owner, BLOCKING)]);
    await remove(world, "owner", "Foreground");
    await world.settled();
    expect(await configMaps(world)).toEqual(["owner"]);
    expect((await world.get(CONFIG_MAPS, inA("owner")))?.metadata.finalizers).toEqual(["example.com/hold"]);
  });

  test("waits across a restart", async () => {
    const world = await openCollected();
    const owner = await world.create(NODES, { name: "n" });
    await configMap(world, "child", [ownedBy(owner, BLOCKING)]);
    await world.stop();
    await world.client.delete(NODES, clusterWide("n"), { propagationPolicy: "Foreground" });
    await world.settled();
    expect(await world.names(NODES)).toEqual(["n"]);
    await world.start();
    await world.settled();
    expect(await world.names(NODES)).toEqual([]);
    expect(await configMaps(world)).toEqual([]);
  });
});

describe("deleted with the policy Orphan, an object", () => {
  test("leaves its dependents behind without a reference to it", async () => {
    const world = await openCollected();
    const owner = await configMap(world, "owner");
    const second = await configMap(world, "second");
    await configMap(world, "child", [ownedBy(owner, BLOCKING)]);
    await configMap(world, "shared", [ownedBy(owner), ownedBy(second)]);
    await remove(world, "owner", "Orphan");
    await world.settled();
    expect(await configMaps(world)).toEqual(["child", "second", "shared"]);
    expect(await ownersOf(world, "child")).toBeUndefined();
    expect(await ownersOf(world, "shared")).toEqual(["second"]);
  });

  test("without dependents goes at once", async () => {
    const world = await openCollected();
    await configMap(world, "owner");
    await remove(world, "owner", "Orphan");
    await world.settled();
    expect(await configMaps(world)).toEqual([]);
  });

  test("leaves behind dependents of any kind, made a moment before", async () => {
    const world = await openCollected();
    const things = world.serve("Thing", "Cluster");
    const owner = await world.create(NODES, { name: "n" });
    const made = Array.from({ length: 20 }, (_, index) =>
      index % 2 === 0
        ? configMap(world, `c${index}`, [ownedBy(owner)])
        : world.create(things, { name: `t${index}`, ownerReferences: [ownedBy(owner)] }),
    );
    const removed = world.client.delete(NODES, clusterWide("n"), { propagationPolicy: "Orphan" });
    await Promise.all([...made, removed]);
    await world.settled();
    expect(await world.names(NODES)).toEqual([]);
    expect(await configMaps(world)).toHaveLength(10);
    expect(await world.names(things)).toHaveLength(10);
  });

  test("and with one that waits for its dependents at a time, is deleted as the last wish says", async () => {
    const world = await openCollected();
    const owner = await configMap(world, "owner", [], HELD);
    await configMap(world, "child", [ownedBy(owner, BLOCKING)], HELD);
    await remove(world, "owner", "Foreground");
    await world.settled();
    await remove(world, "owner", "Orphan");
    await world.settled();
    expect(await ownersOf(world, "child")).toBeUndefined();
    expect((await world.get(CONFIG_MAPS, inA("owner")))?.metadata.finalizers).toEqual(["example.com/hold"]);
  });
});

test("what is collected is deleted as its own finalizers recordEvent: orphan leaves its dependents behind", async () => {
  const world = await openCollected();
  const owner = await configMap(world, "owner");
  const child = await configMap(world, "child", [ownedBy(owner)], { finalizers: ["orphan"] });
  await configMap(world, "grandchild", [ownedBy(child)]);
  await remove(world, "owner");
  await world.settled();
  expect(await configMaps(world)).toEqual(["grandchild"]);
  expect(await ownersOf(world, "grandchild")).toBeUndefined();
});
