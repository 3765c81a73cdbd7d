// The events of a store that its listeners log.
import { expect, test } from "vitest";
import { systemClock } from "../../../src/apimachinery/meta/clock.ts";
import { createMemoryEngine } from "../../../src/storage/engine.ts";
import { openMvccStore } from "../../../src/storage/mvcc/mvcc-store.ts";
import { prefixRange } from "../../../src/storage/store.ts";

test("a compaction and a dropped watch are told of", async () => {
  const told: unknown[] = [];
  await using store = await openMvccStore(createMemoryEngine(), {
    clock: systemClock,
    watchUnreadChangesMax: 2,
    onCompacted: (before) => told.push(before),
    onDropped: ({ from }) => told.push(from),
  });
  const watch = store.watch(prefixRange("/a/"), {
    after: store.revision,
    dropped: () => told.push("the watch itself"),
  });
  for (const key of ["/a/1", "/a/2", "/a/3"]) {
    await store.commit([{ type: "create", key, value: Buffer.from("x") }]);
  }
  await expect(watch.next()).rejects.toMatchObject({ code: "SLOW_CONSUMER" });
  const { revision } = store;
  await store.compact(revision);
  expect(told).toEqual(["the watch itself", "/a/", revision]);
  await store.compact(revision);
  expect(told).toHaveLength(3); // nothing more was forgotten
});
