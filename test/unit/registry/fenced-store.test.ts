import { afterEach, beforeEach, expect, test } from "vitest";
import { FencedStore } from "../../../src/registry/fenced-store.ts";
import { createMemoryEngine } from "../../../src/storage/memory-engine.ts";
import { openMvccStore } from "../../../src/storage/mvcc/mvcc-store.ts";
import { EVERY_KEY, type Store, type TxnOp } from "../../../src/storage/store.ts";
import { ManualClock } from "../storage/manual-clock.ts";

let store: Store;
beforeEach(async () => {
  store = await openMvccStore(createMemoryEngine(), { clock: new ManualClock() });
});
afterEach(() => store[Symbol.asyncDispose]());

const create = (key: string): TxnOp => ({ type: "create", key, value: Buffer.from(key) });
const keys = () => store.list(EVERY_KEY).items.map(({ key }) => key);

test("what was taken in before the fence closes is done before what comes after it, and nothing later", async () => {
  const closing = new AbortController();
  const fenced = new FencedStore(store, closing.signal);
  const early = fenced.commit([create("early")]);
  closing.abort(new Error("closed"));
  let seen: string[] = [];
  const changed = store.transform(() => {
    seen = keys();
    return [];
  });
  await expect(fenced.commit([create("late")])).rejects.toThrow("closed");
  await expect(fenced.transform(() => [[create("late")]])).rejects.toThrow("closed");
  await expect(fenced.compact(store.revision)).rejects.toThrow("closed");
  await Promise.all([early, changed]);
  expect(seen).toEqual(["early"]);
  expect(keys()).toEqual(["early"]);
});

test("it reads as the store does, also when it is closed", async () => {
  const closing = new AbortController();
  const fenced = new FencedStore(store, closing.signal);
  const watch = fenced.watch(EVERY_KEY, { after: store.revision });
  closing.abort();
  await store.commit([create("a")]);
  expect(await watch.next()).toHaveLength(1);
  expect([fenced.revision, fenced.count(EVERY_KEY), fenced.get("a")?.key]).toEqual([store.revision, 1, "a"]);
  expect(fenced.list(EVERY_KEY)).toEqual(store.list(EVERY_KEY));
  expect(fenced.changesOf("a")).toEqual(store.changesOf("a"));
  expect([fenced.compactedRevision, fenced.busy]).toEqual([store.compactedRevision, false]);
  expect(fenced.watches).toEqual(store.watches);
  await fenced[Symbol.asyncDispose]();
  watch.close();
  await store.commit([create("b")]);
});
