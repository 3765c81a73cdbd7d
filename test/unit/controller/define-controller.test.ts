import { afterEach, expect, test } from "vitest";
import type { KubeObject } from "../../../src/apimachinery/meta/object-meta.ts";
import { keysIn } from "../../../src/controller/api.ts";
import { defineController } from "../../../src/controller/define-controller.ts";
import type { Controller, Definition, World } from "../../../src/controller/definition.ts";
import { FakeClient } from "../../support/fake-client.ts";
import { EVENTS, keptLog, ManualClock, NODES } from "../kube/controllers/support.ts";

const LEASES = { group: "coordination.k8s.io", version: "v1", resource: "leases" };
const CONFIG_MAPS = { group: "", version: "v1", resource: "configmaps" };

type Names = "nodes" | "leases" | "maps";
type Given = Partial<Definition<Names, string[]>>;

const node = (name: string, labels: Record<string, string> = {}): KubeObject => ({
  apiVersion: "v1",
  kind: "Node",
  metadata: { name, labels },
});
const lease = (name: string, namespace = "a"): KubeObject => ({
  apiVersion: "coordination.k8s.io/v1",
  kind: "Lease",
  metadata: { name, namespace },
});

let client: FakeClient;
let clock: ManualClock;
let log: ReturnType<typeof keptLog>;
let controller: Controller & { readonly memory: string[] };
/** The keys that were looked at. */
let looked: string[];

async function start(given: Given = {}, settings = {}): Promise<void> {
  looked = [];
  const definition: Definition<Names, string[]> = {
    name: "sample",
    fieldManager: "sample",
    workers: 1,
    watches: {
      nodes: { resource: NODES },
      leases: { resource: LEASES },
      maps: { resource: CONFIG_MAPS, lazy: true, toKeys: () => [] },
    },
    memory: () => [],
    reconcile: async (key) => void looked.push(key),
    ...given,
  };
  controller = defineController(definition).create({ client, clock, log, ...settings });
  await controller.start(new AbortController().signal);
  await controller.idle();
}

async function restart(given: Given = {}): Promise<void> {
  await controller.stop();
  await start(given);
}

async function fresh(...nodes: readonly string[]): Promise<void> {
  client = new FakeClient();
  clock = new ManualClock();
  log = keptLog();
  for (const name of nodes) await client.create(NODES, node(name));
}

afterEach(() => controller.stop());

const take = (name: string): NonNullable<Given["watches"]>["nodes"] => ({
  resource: NODES,
  take: ({ type, object, old }, { memory }) =>
    void memory.push([name, type, object.metadata.name, old ? "from old" : ""].join(" ").trim()),
});
const watchesWith = (nodes: NonNullable<Given["watches"]>["nodes"]): NonNullable<Given["watches"]> => ({
  nodes,
  leases: { resource: LEASES },
  maps: { resource: CONFIG_MAPS, lazy: true, toKeys: () => [] },
});

test("a change leads to the key of its object, with its namespace where it has one", async () => {
  await fresh("n2", "n1");
  await start();
  expect(looked).toEqual(["n1", "n2"]);
  await client.create(LEASES, lease("l"));
  await controller.idle();
  expect(looked).toEqual(["n1", "n2", "a/l"]);
});

test("with prepare, changes lead to keys only when it has said which come first", async () => {
  await fresh("n2", "n1");
  await start({ prepare: ({ nodes }) => keysIn(nodes).reverse() });
  expect(looked).toEqual(["n2", "n1"]);
  await client.create(NODES, node("n3"));
  await controller.idle();
  expect(looked).toEqual(["n2", "n1", "n3"]);
});

test("the memory hears of every change, and of those before the start first", async () => {
  await fresh("n1");
  const given: Given = { watches: watchesWith(take("node")), prepare: () => [] };
  await start(given);
  await client.patch(NODES, { namespace: "", name: "n1" }, merge({ x: "1" }));
  await client.delete(NODES, { namespace: "", name: "n1" });
  await controller.idle();
  const heard = ["node add n1", "node update n1 from old", "node delete n1"];
  expect(controller.memory).toEqual(heard);
  await restart(given);
  expect(controller.memory).toEqual([]);
});

const merge = (labels: Record<string, string>) =>
  ({ type: "merge", body: { metadata: { labels } } }) as const;

test("only the kinds of change that are named lead to keys, and only updates of what matters", async () => {
  await fresh("n1");
  await start({
    watches: watchesWith({
      resource: NODES,
      on: ["update", "delete"],
      facts: ({ metadata }) => metadata.labels?.["x"],
      toKeys: ({ type, object }) => [`${type} ${object.metadata.name}`, undefined],
    }),
  });
  expect(looked).toEqual([]);
  await client.patch(NODES, { namespace: "", name: "n1" }, merge({ y: "1" }));
  await controller.idle();
  expect(looked).toEqual([]);
  await client.patch(NODES, { namespace: "", name: "n1" }, merge({ x: "1" }));
  await client.delete(NODES, { namespace: "", name: "n1" });
  await controller.idle();
  expect(looked).toEqual(["update n1", "delete n1"]);
});

test("a lazy watch is empty until it is followed, and a watch that is not wanted stays so", async () => {
  await fresh("n1");
  await client.create(CONFIG_MAPS, { ...lease("m"), kind: "ConfigMap" });
  const sizes: number[] = [];
  const look = async (_key: string, world: World<Names, string[]>): Promise<void> => {
    sizes.push([...world.maps.list()].length);
    await world.follow("maps");
    sizes.push([...world.maps.list()].length);
  };
  await start({ reconcile: look, prepare: () => ["once"] });
  expect(sizes).toEqual([0, 1]);
  await restart({
    watches: watchesWith({ resource: NODES, isWanted: ({ platform }) => platform !== "none" }),
  });
  expect(looked).toEqual([]);
});

test("a key that asks for it is looked at again after a while", async () => {
  await fresh("n1");
  await start({
    reconcile: async (key) => {
      looked.push(key);
      return looked.length < 2 ? { requeueAfterMs: 1_000 } : undefined;
    },
  });
  expect(looked).toEqual(["n1"]);
  clock.advance(1_000);
  await controller.idle();
  expect(looked).toEqual(["n1", "n1"]);
  expect(clock.pending).toBe(0);
});

test("an event that was said before the start is not said again because of the start", async () => {
  await fresh("n1");
  const subject = { kind: "Node", name: "n1" };
  const given: Given = {
    events: ({ platform }) => `teller-${platform}`,
    reconcile: async (key, { recordEvent }) =>
      recordEvent({ subject, type: "Warning", reason: "R", message: key }, key),
  };
  const counts = async () => (await client.list(EVENTS)).items.map(({ source, count }) => [source, count]);
  await start(given);
  await restart(given);
  expect(await counts()).toEqual([[{ component: "teller-none" }, 1]]);
  await client.patch(NODES, { namespace: "", name: "n1" }, merge({ x: "1" }));
  await controller.idle();
  expect(await counts()).toEqual([[{ component: "teller-none" }, 2]]);
});

test("what fails is tried again after a pause that doubles, and given up after so many attempts", async () => {
  await fresh("n1");
  await start({
    retry: { firstMs: 10, attemptsMax: 3 },
    reconcile: async (key) => {
      looked.push(key);
      throw new Error("no");
    },
  });
  for (const ms of [10, 20, 40]) {
    clock.advance(ms);
    await controller.idle();
  }
  expect(looked).toEqual(["n1", "n1", "n1"]);
  expect(log.lines.map((line) => line.replace(/ \{.*/, ""))).toEqual([
    "warn reconcile failed; trying again",
    "warn reconcile failed; trying again",
    "error reconcile failed; waiting for the next change",
  ]);
});
