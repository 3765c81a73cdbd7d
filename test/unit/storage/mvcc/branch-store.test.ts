import { expect, test } from "vitest";
import { createMemoryEngine } from "../../../../src/storage/engine.ts";
import { openBranchStore, openMvccStore } from "../../../../src/storage/mvcc/mvcc-store.ts";
import { EVERY_KEY } from "../../../../src/storage/store.ts";
import { create, remove, update } from "../../../contract/store-harness.ts";
import { ManualClock } from "../manual-clock.ts";

test("a branch begins with the same keys at the same revision, and each side goes on by itself", async () => {
  const clock = new ManualClock();
  await using store = await openMvccStore(createMemoryEngine(), { clock });
  await store.commit([create("/a"), create("/b")]); // 2
  await store.commit([update("/a", "2", 2)]); // 3
  const present = store.list(EVERY_KEY);
  await using branch = await openBranchStore(present, { clock });
  expect(branch.revision).toBe(store.revision);
  expect(branch.compactedRevision).toBe(store.revision);
  const { items } = branch.list(EVERY_KEY);
  expect(items).toHaveLength(2);
  for (const [index, kv] of items.entries()) expect(kv).toBe(present.items[index]);

  const watch = branch.watch(EVERY_KEY, { after: branch.revision });
  await branch.commit([remove("/a", 3), create("/c")]); // 4
  expect((await watch.next())?.map(({ revision }) => revision)).toEqual([4]);
  expect(branch.get("/a", present.revision)).toBe(store.get("/a"));
  expect(branch.list(EVERY_KEY).items.map(({ key }) => key)).toEqual(["/b", "/c"]);
  expect(store.list(EVERY_KEY).items).toEqual(present.items);
  await store.commit([create("/d")]); // 4 here
  expect(branch.get("/d")).toBeUndefined();
});
