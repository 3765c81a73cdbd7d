// Which lists are cached from one snapshot to the next, and that no outdated one is returned.
import { afterEach, beforeEach, expect, test } from "vitest";
import { runYielding } from "../../../../src/apimachinery/scheduling/coroutine.ts";
import { yieldIfDue } from "../../../../src/apimachinery/scheduling/event-loop.ts";
import { encodeStored } from "../../../../src/apiserver/registry/codec/object-codec.ts";
import { ResourceRegistry } from "../../../../src/apiserver/registry/resource-registry.ts";
import { clustersOf } from "../../../../src/features/analysis/store-snapshot.ts";
import { BUILT_IN_RESOURCES } from "../../../../src/kube/index.ts";
import type { Cluster } from "../../../../src/ovn/cluster/cluster.ts";
import type { Holding } from "../../../../src/ovn/snapshot.ts";
import { createMemoryEngine } from "../../../../src/storage/engine.ts";
import { openMvccStore } from "../../../../src/storage/mvcc/mvcc-store.ts";
import type { Store } from "../../../../src/storage/store.ts";
import { countTurns } from "../../../support/count-turns.ts";
import { ManualClock } from "../../storage/manual-clock.ts";

let store: Store;
let present: (given: object) => Cluster;
let held: Holding[];
let asked: number;
beforeEach(async () => {
  store = await openMvccStore(createMemoryEngine(), { clock: new ManualClock() });
  const registry = new ResourceRegistry();
  registry.set(...BUILT_IN_RESOURCES);
  [held, asked] = [[], 0];
  const holdings = () => {
    asked++;
    return held;
  };
  present = clustersOf({ store, registry }, { facts: {}, held: holdings });
});
afterEach(() => store[Symbol.asyncDispose]());

const keyOf = (name: string) => `/registry/minions/${name}`;
const bytesOf = (name: string, labels: Record<string, string>) =>
  encodeStored({ apiVersion: "v1", kind: "Node", metadata: { name, labels, uid: name } }, undefined);
const nodes = () => [...present({}).snapshot.list("nodes")];
const named = () => nodes().map(({ metadata }) => `${metadata.name}${metadata.labels?.["x"] ?? ""}`);

test("what has not changed is the same object, wherever it comes to stand", async () => {
  await store.commit(
    ["b", "d"].map((name) => ({ type: "create", key: keyOf(name), value: bytesOf(name, {}) })),
  );
  const [b, d] = nodes();
  await store.commit([{ type: "create", key: keyOf("c"), value: bytesOf("c", {}) }]);
  expect(named()).toEqual(["b", "c", "d"]);
  expect([nodes()[0], nodes()[2]]).toEqual([b, d]);
  expect(nodes()[0]).toBe(b);
  expect(nodes()[2]).toBe(d);
});

test("what has changed, or is gone, is not shown any more", async () => {
  await store.commit(
    ["a", "b", "c"].map((name) => ({ type: "create", key: keyOf(name), value: bytesOf(name, {}) })),
  );
  expect(named()).toEqual(["a", "b", "c"]);
  const { modRevision: ifModRevision } = store.get(keyOf("b")) ?? { modRevision: store.revision };
  await store.commit([{ type: "update", key: keyOf("b"), value: bytesOf("b", { x: "1" }), ifModRevision }]);
  expect(named()).toEqual(["a", "b1", "c"]);
  await store.commit([{ type: "delete", key: keyOf("a"), ifModRevision }]);
  expect(named()).toEqual(["b1", "c"]);
});

test("what the controller holds is asked for when a question needs it", async () => {
  const { facts } = present({});
  expect(asked).toBe(0);
  held = [{ egressIp: "web", address: "10.0.0.5", node: "n1" }];
  expect(facts.held).toEqual(held);
  expect(present({ gatewayMode: "local" }).facts).toMatchObject({ gatewayMode: "local", held });
});

test("a large cluster is read in turns with others, once", async () => {
  const names = Array.from({ length: 500 }, (_, index) => `n${index}`);
  await store.commit(names.map((name) => ({ type: "create", key: keyOf(name), value: bytesOf(name, {}) })));
  const read = () => runYielding(present({}).readAhead(), yieldIfDue);
  expect((await countTurns(read)).turns).toBeGreaterThan(25);
  expect((await countTurns(read)).turns).toBeLessThan(5);
  const decoded = nodes();
  await store.commit([{ type: "create", key: keyOf("one more"), value: bytesOf("one more", {}) }]);
  expect((await countTurns(read)).turns).toBeLessThan(5);
  expect(nodes()[0]).toBe(decoded[0]);
});
