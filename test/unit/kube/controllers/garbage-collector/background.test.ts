import { describe, expect, test } from "vitest";
import { conflict, internalServerError, MODIFIED } from "../../../../../src/apimachinery/meta/status.ts";
import { type ApiWorld, CONFIG_MAPS, EVENTS, NAMESPACES, NODES } from "../../../../support/api-world.ts";
import { configMap, configMaps, inA, openCollected, ownedBy, ownersOf, remove } from "./support.ts";

const NEVER = {
  apiVersion: "v1",
  kind: "ConfigMap",
  name: "never",
  uid: "00000000-0000-0000-0000-00000000dead",
};

describe("an object goes", () => {
  test("when its last owner is gone, and so do its own dependents", async () => {
    const world = await openCollected();
    const owner = await configMap(world, "owner");
    const child = await configMap(world, "child", [ownedBy(owner)]);
    await configMap(world, "grandchild", [ownedBy(child)]);
    await configMap(world, "other");
    await world.settled();
    expect(await configMaps(world)).toEqual(["child", "grandchild", "other", "owner"]);
    await remove(world, "owner");
    await world.settled();
    expect(await configMaps(world)).toEqual(["other"]);
  });

  test("when none of its owners ever was", async () => {
    const world = await openCollected();
    await configMap(world, "lost", [NEVER]);
    await world.settled();
    expect(await configMaps(world)).toEqual([]);
  });

  test("when another object has the name of its owner: owners are told apart by uid", async () => {
    const world = await openCollected();
    const first = await configMap(world, "owner");
    await remove(world, "owner");
    await configMap(world, "owner");
    await configMap(world, "child", [ownedBy(first)]);
    await world.settled();
    expect(await configMaps(world)).toEqual(["owner"]);
  });

  test.each([
    ["kind", { kind: "Secret" }],
    ["name", { name: "another" }],
  ])("when a reference has the uid of a living object but another %s", async (_what, wrong) => {
    const world = await openCollected();
    const owner = await configMap(world, "owner");
    await configMap(world, "child", [ownedBy(owner, wrong)]);
    await world.settled();
    expect(await configMaps(world)).toEqual(["owner"]);
  });

  test("when its owner lives in another namespace, with an event that says so", async () => {
    const world = await openCollected();
    const owner = await world.create(CONFIG_MAPS, { name: "owner", namespace: "b" });
    await world.settled();
    await configMap(world, "child", [ownedBy(owner)]);
    await world.settled();
    expect(await configMaps(world)).toEqual([]);
    const { items } = await world.client.list(EVENTS, { namespace: "a" });
    const { uid } = owner.metadata;
    expect(items.map(({ type, reason, message }) => ({ type, reason, message }))).toEqual([
      {
        type: "Warning",
        reason: "OwnerRefInvalidNamespace",
        message: `ownerRef [v1/ConfigMap, namespace: a, name: owner, uid: ${uid}] does not exist in namespace "a"`,
      },
    ]);
  });

  test("when its owners went while the collector was away", async () => {
    const world = await openCollected();
    const owner = await configMap(world, "owner");
    await configMap(world, "child", [ownedBy(owner)]);
    await world.stop();
    await remove(world, "owner");
    await world.start();
    await world.settled();
    expect(await configMaps(world)).toEqual([]);
  });

  test("only when its finalizers are gone too", async () => {
    const world = await openCollected();
    const owner = await configMap(world, "owner");
    const child = await configMap(world, "child", [ownedBy(owner)], { finalizers: ["example.com/hold"] });
    await configMap(world, "grandchild", [ownedBy(child)]);
    await remove(world, "owner");
    await world.settled();
    expect(await configMaps(world)).toEqual(["child", "grandchild"]);
    await world.change(CONFIG_MAPS, inA("child"), { finalizers: null });
    await world.settled();
    expect(await configMaps(world)).toEqual([]);
  });
});

describe("an object stays", () => {
  test("while one owner lives; references to those that do not are taken away", async () => {
    const world = await openCollected();
    const owner = await configMap(world, "owner");
    const second = await configMap(world, "second");
    await configMap(world, "kept", [NEVER, ownedBy(owner), ownedBy(second)]);
    await world.settled();
    expect(await ownersOf(world, "kept")).toEqual(["owner", "second"]);
    await remove(world, "second");
    await world.settled();
    expect(await ownersOf(world, "kept")).toEqual(["owner"]);
    await remove(world, "owner");
    await world.settled();
    expect(await configMaps(world)).toEqual([]);
  });

  test("while its owner is being deleted but held by a finalizer", async () => {
    const world = await openCollected();
    const owner = await configMap(world, "owner", [], { finalizers: ["example.com/hold"] });
    await configMap(world, "child", [ownedBy(owner)]);
    await remove(world, "owner");
    await world.settled();
    expect(await configMaps(world)).toEqual(["child", "owner"]);
  });

  test("in any namespace while a cluster-scoped owner lives", async () => {
    const world = await openCollected();
    const node = await world.create(NODES, { name: "n" });
    await configMap(world, "child", [ownedBy(node)]);
    await world.settled();
    expect(await configMaps(world)).toEqual(["child"]);
    await remove(world, "n", "Background", NODES);
    await world.settled();
    expect(await configMaps(world)).toEqual([]);
  });

  test("when it is cluster-scoped and names an owner that is not: that is not an owner one could find", async () => {
    const world = await openCollected();
    const owner = await configMap(world, "owner");
    await world.settled();
    await world.create(NODES, { name: "n", ownerReferences: [ownedBy(owner)] });
    await world.settled();
    const { items } = await world.client.list(EVENTS);
    expect(items).toMatchObject([
      {
        metadata: { namespace: "default" },
        involvedObject: { kind: "Node", name: "n" },
        reason: "OwnerRefInvalidNamespace",
        message: `ownerRef [v1/ConfigMap, namespace: , name: owner, uid: ${owner.metadata.uid}] does not exist in namespace ""`,
      },
    ]);
    await remove(world, "owner");
    await world.stop();
    await world.start();
    await world.settled();
    expect(await world.names(NODES)).toEqual(["n"]);
  });

  test("when the kind of its owner is not served; it is looked at again when it is", async () => {
    const world = await openCollected();
    const reference = { apiVersion: "example.com/v1", kind: "Thing", name: "t", uid: NEVER.uid };
    await configMap(world, "child", [reference]);
    await world.settled();
    expect(await configMaps(world)).toEqual(["child"]);
    world.serve("Thing", "Namespaced");
    await world.settled();
    expect(await configMaps(world)).toEqual([]);
  });

  test("when it never had owners, or lost the last reference", async () => {
    const world = await openCollected();
    const owner = await configMap(world, "owner");
    await configMap(world, "child", [ownedBy(owner)]);
    await world.change(CONFIG_MAPS, inA("child"), { ownerReferences: null });
    await remove(world, "owner");
    await world.settled();
    expect(await configMaps(world)).toEqual(["child"]);
  });
});

describe("custom resources", () => {
  test("own and are owned as soon as they are served", async () => {
    const world = await openCollected();
    const things = world.serve("Thing", "Namespaced");
    const thing = await world.create(things, { name: "t", namespace: "a" });
    const child = await configMap(world, "child", [ownedBy(thing)]);
    await world.create(things, { name: "grandchild", namespace: "a", ownerReferences: [ownedBy(child)] });
    await world.settled();
    expect(await world.names(things)).toEqual(["grandchild", "t"]);
    await world.client.delete(things, inA("t"));
    await world.settled();
    expect(await configMaps(world)).toEqual([]);
    expect(await world.names(things)).toEqual([]);
  });

  test("that were deleted just before they were not served any more are missed all the same", async () => {
    const world = await openCollected();
    const things = world.serve("Thing", "Cluster");
    const thing = await world.create(things, { name: "t" });
    await configMap(world, "child", [ownedBy(thing)]);
    await world.settled();
    await world.client.delete(things, { namespace: "", name: "t" });
    world.registry.remove("example.com", "things");
    await world.settled();
    expect(await configMaps(world)).toEqual([]);
  });

  test.each([10, 10_000])("that are not served for a while (%i ms) keep what they own", async (pauseMs) => {
    const world = await openCollected();
    const things = world.serve("Thing", "Cluster");
    const thing = await world.create(things, { name: "t" });
    await configMap(world, "child", [ownedBy(thing)]);
    world.registry.remove("example.com", "things");
    await world.settled();
    expect(await configMaps(world)).toEqual(["child"]);
    world.clock.advance(pauseMs);
    await world.settled();
    expect(await configMaps(world)).toEqual(["child"]);
    world.serve("Thing", "Cluster");
    await world.settled();
    expect(await configMaps(world)).toEqual(["child"]);
    await world.client.delete(things, { namespace: "", name: "t" });
    await world.settled();
    expect(await configMaps(world)).toEqual([]);
  });
});

describe("custom resources that are not served for a while", () => {
  test.each([10, 10_000])("are not taken for gone (after %i ms)", async (pauseMs) => {
    const world = await openCollected();
    const things = world.serve("Thing", "Namespaced");
    const root = await configMap(world, "root");
    const thing = await world.create(things, {
      name: "t",
      namespace: "a",
      ownerReferences: [ownedBy(root)],
    });
    await configMap(world, "child", [ownedBy(thing)]);
    await world.settled();
    world.registry.remove("example.com", "things");
    await remove(world, "root");
    await world.settled();
    expect(await configMaps(world)).toEqual(["child"]);
    world.clock.advance(pauseMs);
    await world.settled();
    expect(await configMaps(world)).toEqual(["child"]);
    world.serve("Thing", "Namespaced");
    await world.settled();
    expect(await configMaps(world)).toEqual([]);
    expect(await world.names(things)).toEqual([]);
    expect(world.log.lines).toEqual([]);
  });
});

describe("in trouble", () => {
  const failOnce = (world: ApiWorld, verb: string, error: unknown): void => {
    world.trouble = (call) => {
      if (call.verb !== verb) return undefined;
      world.trouble = () => undefined;
      return error;
    };
  };

  test("a delete that failed is tried again after a pause", async () => {
    const world = await openCollected();
    failOnce(world, "delete", internalServerError("no"));
    await configMap(world, "lost", [NEVER]);
    await world.settled();
    expect(await configMaps(world)).toEqual(["lost"]);
    world.clock.advance(100);
    await world.settled();
    expect(await configMaps(world)).toEqual([]);
    expect(world.log.lines).toHaveLength(1);
  });

  test("a patch that came too late is made again at once", async () => {
    const world = await openCollected();
    failOnce(world, "patch", conflict(CONFIG_MAPS, "kept", MODIFIED));
    const owner = await configMap(world, "owner");
    await configMap(world, "kept", [NEVER, ownedBy(owner)]);
    await world.settled();
    expect(await ownersOf(world, "kept")).toEqual(["owner"]);
    expect(world.log.lines).toEqual([]);
  });

  test("an object that changes between the look and the patch keeps what was changed", async () => {
    const world = await openCollected();
    const owner = await configMap(world, "owner");
    const late = await configMap(world, "late");
    let once = true;
    world.trouble = async ({ verb }) => {
      if (verb !== "patch" || !once) return;
      once = false;
      await world.change(CONFIG_MAPS, inA("kept"), {
        ownerReferences: [NEVER, ownedBy(owner), ownedBy(late)],
      });
    };
    await configMap(world, "kept", [NEVER, ownedBy(owner)]);
    await world.settled();
    expect(await ownersOf(world, "kept")).toEqual(["owner", "late"]);
  });
});

test("objects that neither own nor are owned are never asked for or written", async () => {
  const world = await openCollected();
  for (let index = 0; index < 50; index++) await configMap(world, `c${index}`);
  await world.change(CONFIG_MAPS, inA("c0"), { labels: { a: "b" } });
  await remove(world, "c1");
  await world.create(NAMESPACES, { name: "c" });
  await world.settled();
  expect(world.calls).toEqual([]);
});
