// Restores the newest state of a backup into a store with revisions of its own.
import { afterEach, beforeEach, expect, test } from "vitest";
import { backupLines } from "../../../src/storage/backup.ts";
import { createMemoryEngine } from "../../../src/storage/engine.ts";
import { openMvccStore } from "../../../src/storage/mvcc/mvcc-store.ts";
import { fillStore, replaceState } from "../../../src/storage/restore-state.ts";
import { EVERY_KEY, type Store } from "../../../src/storage/store.ts";
import { codeOf, create, remove, update } from "../../contract/store-harness.ts";
import { ManualClock } from "./manual-clock.ts";

const open = (): Promise<Store> => openMvccStore(createMemoryEngine(), { clock: new ManualClock() });
const texts = (store: Store) =>
  store.list(EVERY_KEY).items.map(({ key, value }) => `${key}=${Buffer.from(value)}`);

let lines: string[];
let store: Store;
const source = (given = () => lines) => ({
  name: "the file",
  async *lines() {
    for (const line of given()) yield line.trimEnd();
  },
});

/** /a was written twice, /b has gone, /c has gone and come back. */
beforeEach(async () => {
  await using saved = await open();
  await saved.commit([create("/a", "1"), create("/b", "1"), create("/c", "1")]);
  await saved.commit([update("/a", "2", 2), remove("/b", 2), remove("/c", 2)]);
  await saved.commit([create("/c", "3")]);
  lines = [];
  for await (const line of backupLines(saved)) lines.push(line);
  store = await open();
});
afterEach(() => store[Symbol.asyncDispose]());

test("an empty store gets what is there, and nothing of the past", async () => {
  const told: string[] = [];
  const restored = await fillStore(source(), store, (done, of) => told.push(`${done} of ${of}`));
  expect(restored).toEqual({ compacted: 1, revision: 4, keys: 2 });
  expect(texts(store)).toEqual(["/a=2", "/c=3"]);
  expect(store.revision).toBe(3);
  expect(told).toEqual(["1 of 2", "2 of 2"]);
});

test("what a store holds is replaced: others go, what is the same stays at its revision", async () => {
  await store.commit([create("/a", "other"), create("/x")]);
  const same = await store.commit([create("/c", "3")]);
  expect(await replaceState(source(), store)).toMatchObject({ keys: 2, revision: 4 });
  expect(texts(store)).toEqual(["/a=2", "/c=3"]);
  expect(store.get("/c")?.modRevision).toBe(same);
});

test("nothing is written of a backup that is not whole", async () => {
  await store.commit([create("/x")]);
  for (const restore of [fillStore, replaceState]) {
    expect(
      await codeOf(() =>
        restore(
          source(() => lines.slice(0, -1)),
          store,
        ),
      ),
    ).toBe("UNREADABLE");
    expect(texts(store)).toEqual(["/x="]);
  }
});
