import { describe, expect, test } from "vitest";
import type { KubeObject } from "../../../../../src/apimachinery/meta/object-meta.ts";
import { conflict, internalServerError, MODIFIED } from "../../../../../src/apimachinery/meta/status.ts";
import { type ApiWorld, CONFIG_MAPS, core, NAMESPACES, NODES } from "../../../../support/api-world.ts";
import {
  configMap,
  HELD,
  inA,
  namespaceA,
  openNamespaces,
  release,
  removeA,
  removeNamespace,
} from "./support.ts";

const pod = (name: string, metadata: KubeObject["metadata"] = {}) =>
  [
    core("pods"),
    { name, namespace: "a", ...metadata },
    { spec: { containers: [{ name: "c", image: "img:1" }] } },
  ] as const;

const names = (world: ApiWorld): Promise<string[]> => world.names(NAMESPACES);

describe("a deleted namespace", () => {
  test("goes after a moment when nothing is in it", async () => {
    const world = await openNamespaces();
    await removeA(world);
    await world.settled();
    expect(await names(world)).toEqual(["b", "default"]);
    expect(world.log.lines).toEqual([]);
  });

  test("takes all with it that is in it, built-in or custom, and nothing else", async () => {
    const world = await openNamespaces();
    const things = world.serve("Thing", "Namespaced");
    const globals = world.serve("Global", "Cluster");
    for (const namespace of ["a", "b"]) {
      await world.create(CONFIG_MAPS, { name: "c", namespace });
      await world.create(core("secrets"), { name: "s", namespace });
      await world.create(things, { name: "t", namespace });
    }
    await world.create(...pod("p"));
    await world.create(globals, { name: "g" });
    await world.create(NODES, { name: "n" });
    await removeA(world);
    await world.settled();
    expect(await names(world)).toEqual(["b", "default"]);
    for (const resource of [CONFIG_MAPS, core("secrets"), core("pods"), things]) {
      expect(await world.names(resource, { namespace: "a" })).toEqual([]);
    }
    expect(await world.names(CONFIG_MAPS, { namespace: "b" })).toEqual(["c"]);
    expect(await world.names(things)).toEqual(["t"]);
    expect(await world.names(globals)).toEqual(["g"]);
    expect(await world.names(NODES)).toEqual(["n"]);
  });

  test("goes with many objects", async () => {
    const world = await openNamespaces();
    for (let index = 0; index < 300; index++) await configMap(world, `c${index}`);
    await removeA(world);
    await world.settled();
    expect(await names(world)).toEqual(["b", "default"]);
    expect(await world.names(CONFIG_MAPS, { namespace: "a" })).toEqual([]);
  });

  test("waits for objects that finalizers hold, and goes with the last of them without being asked again", async () => {
    const world = await openNamespaces();
    const things = world.serve("Thing", "Namespaced");
    await configMap(world, "held", HELD);
    await configMap(world, "free");
    await world.create(things, { name: "t", namespace: "a", ...HELD });
    await removeA(world);
    await world.settled();
    expect(await names(world)).toContain("a");
    expect(await world.names(CONFIG_MAPS, { namespace: "a" })).toEqual(["held"]);
    const pending = world.clock.pending;
    await release(world, "held");
    await world.settled();
    expect(await world.names(CONFIG_MAPS, { namespace: "a" })).toEqual([]);
    expect(await names(world)).toContain("a");
    await world.change(things, inA("t"), { finalizers: null });
    await world.settled();
    expect(await names(world)).toEqual(["b", "default"]);
    expect(world.clock.pending).toBeLessThan(pending);
    expect(world.log.lines).toEqual([]);
  });

  test("takes no finalizers of the collector for a reason to wait", async () => {
    const world = await openNamespaces();
    await configMap(world, "orphaning", { finalizers: ["orphan"] });
    await configMap(world, "deleting");
    await world.client.delete(CONFIG_MAPS, inA("deleting"), { propagationPolicy: "Foreground" });
    await removeA(world);
    await world.settled();
    expect(await names(world)).toEqual(["b", "default"]);
  });

  test("loses its pods first, and nothing else while one of them is left", async () => {
    const world = await openNamespaces();
    await world.create(...pod("held", HELD));
    await world.create(...pod("free"));
    await configMap(world, "c");
    await removeA(world);
    await world.settled();
    expect(await world.names(core("pods"), { namespace: "a" })).toEqual(["held"]);
    expect((await world.get(CONFIG_MAPS, inA("c")))?.metadata.deletionTimestamp).toBeUndefined();
    await world.change(core("pods"), inA("held"), { finalizers: null });
    await world.settled();
    expect(await names(world)).toEqual(["b", "default"]);
    expect(await world.names(CONFIG_MAPS, { namespace: "a" })).toEqual([]);
  });

  test("stays, empty and without the content's finalizer, while it has finalizers of its own", async () => {
    const world = await openNamespaces();
    await world.change(NAMESPACES, { namespace: "", name: "a" }, HELD);
    await configMap(world, "c");
    await removeA(world);
    await world.settled();
    const { spec, status, metadata } = (await namespaceA(world)) as KubeObject & {
      status: { phase: string };
    };
    expect(spec).toEqual({});
    expect(status.phase).toBe("Terminating");
    expect(metadata.finalizers).toEqual(HELD.finalizers);
    expect(await world.names(CONFIG_MAPS, { namespace: "a" })).toEqual([]);
    await world.change(NAMESPACES, { namespace: "", name: "a" }, { finalizers: null });
    expect(await names(world)).toEqual(["b", "default"]);
  });

  test("keeps other finalizers in its spec", async () => {
    const world = await openNamespaces();
    const spec = { finalizers: ["example.com/own", "kubernetes"] };
    await world.create(NAMESPACES, { name: "c" }, { spec });
    await removeNamespace(world, "c");
    await world.settled();
    const left = await world.get(NAMESPACES, { namespace: "", name: "c" });
    expect(left?.["spec"]).toEqual({ finalizers: ["example.com/own"] });
  });

  test("is emptied although the controller was away when it was deleted", async () => {
    const world = await openNamespaces();
    await configMap(world, "c");
    await configMap(world, "held", HELD);
    await world.stop();
    await world.client.delete(NAMESPACES, { namespace: "", name: "a" });
    await world.start();
    await world.settled();
    expect(await world.names(CONFIG_MAPS, { namespace: "a" })).toEqual(["held"]);
    await world.stop();
    await release(world, "held");
    await world.start();
    await world.settled();
    expect(await names(world)).toEqual(["b", "default"]);
  });

  test("that is gone makes room for another one, whose content stays", async () => {
    const world = await openNamespaces();
    await configMap(world, "c");
    await removeA(world);
    await world.settled();
    await world.create(NAMESPACES, { name: "a" });
    await configMap(world, "c");
    await world.settled();
    expect(await world.names(CONFIG_MAPS, { namespace: "a" })).toEqual(["c"]);
  });
});

describe("what is made in a namespace", () => {
  test("while it is being deleted is not left behind", async () => {
    const world = await openNamespaces();
    const made = Array.from({ length: 20 }, (_, index) => configMap(world, `c${index}`));
    const removed = removeA(world);
    const late = Array.from({ length: 20 }, (_, index) => configMap(world, `late${index}`));
    await Promise.allSettled([...made, removed, ...late]);
    await world.settled();
    expect(await names(world)).toEqual(["b", "default"]);
    expect(await world.names(CONFIG_MAPS, { namespace: "a" })).toEqual([]);
  });

  test("is looked for anew when another resource is served while it waits", async () => {
    const world = await openNamespaces();
    const things = world.serve("Thing", "Namespaced");
    await world.create(things, { name: "t", namespace: "a" });
    await configMap(world, "held", HELD);
    world.registry.remove("example.com", "things");
    await removeA(world);
    await world.settled();
    world.serve("Thing", "Namespaced");
    await world.settled();
    expect(await world.names(things)).toEqual([]);
  });

  test("holds it no more when its resource is not served any more", async () => {
    const world = await openNamespaces();
    const things = world.serve("Thing", "Namespaced");
    await world.create(things, { name: "t", namespace: "a", ...HELD });
    await removeA(world);
    await world.settled();
    expect(await names(world)).toContain("a");
    world.registry.remove("example.com", "things");
    await world.settled();
    expect(await names(world)).toEqual(["b", "default"]);
  });
});

describe("in trouble", () => {
  test("a delete that failed is made again after a pause", async () => {
    const world = await openNamespaces();
    await configMap(world, "c");
    let failures = 2;
    world.trouble = ({ verb }) =>
      verb === "delete" && failures-- > 0 ? internalServerError("no") : undefined;
    await removeA(world);
    await world.settled();
    expect(await names(world)).toContain("a");
    world.clock.advance(20);
    await world.settled();
    expect(await names(world)).toContain("a");
    world.clock.advance(40);
    await world.settled();
    expect(await names(world)).toEqual(["b", "default"]);
  });

  test.each(["status", "finalize"])("a %s that came too late is written again at once", async (which) => {
    const world = await openNamespaces();
    let failures = 2;
    world.trouble = ({ subresource }) =>
      subresource === which && failures-- > 0 ? conflict(NAMESPACES, "a", MODIFIED) : undefined;
    await removeA(world);
    await world.settled();
    expect(await names(world)).toEqual(["b", "default"]);
    expect(world.log.lines).toEqual([]);
  });

  test("a pod whose time is over, and which nobody stops, is an error only after a while", async () => {
    const world = await openNamespaces();
    const assigned = { nodeName: "n", containers: [{ name: "c", image: "img:1" }] };
    await world.create(core("pods"), { name: "p", namespace: "a" }, { spec: assigned });
    await removeA(world);
    await world.settled();
    world.clock.advance(32_000);
    await world.settled();
    expect(world.log.lines).toEqual([]);
    world.clock.advance(15_000);
    await world.settled();
    expect(world.log.lines).toEqual([
      expect.stringContaining("unexpected items still remain in namespace: a for gvr: /v1, Resource=pods"),
    ]);
    expect(await names(world)).toContain("a");
  });

  test("what is left is watched although something else cannot be deleted", async () => {
    const world = await openNamespaces();
    await configMap(world, "held", HELD);
    await world.create(core("secrets"), { name: "s", namespace: "a" });
    world.trouble = ({ resource }) => (resource === "secrets" ? internalServerError("no") : undefined);
    await removeA(world);
    await world.settled();
    world.trouble = () => undefined;
    await release(world, "held");
    await world.settled();
    expect(await names(world)).toEqual(["b", "default"]);
  });

  test("what others change in it meanwhile is kept", async () => {
    const world = await openNamespaces();
    await configMap(world, "held", HELD);
    let once = true;
    world.trouble = async ({ subresource }) => {
      if (subresource !== "status" || !once) return;
      once = false;
      await world.change(NAMESPACES, { namespace: "", name: "a" }, { annotations: { a: "b" } });
    };
    await removeA(world);
    await world.settled();
    expect((await namespaceA(world))?.metadata.annotations).toEqual({ a: "b" });
  });

  test("a change that no watch told of is found after a while", async () => {
    const world = await openNamespaces();
    world.deaf = true;
    await configMap(world, "held", HELD);
    await removeA(world);
    await world.settled();
    await release(world, "held");
    await world.settled();
    expect(await names(world)).toContain("a");
    world.clock.advance(15_000);
    await world.settled();
    expect(await names(world)).toEqual(["b", "default"]);
  });
});
