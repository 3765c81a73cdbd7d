// Store contract: a failure at a named failpoint is reported, reads return the earlier state, and the store opens again
// without loss.
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { toRevision } from "../../src/apimachinery/meta/revision.ts";
import { createMemoryEngine, type FailpointHook, type StoreFailpoint } from "../../src/storage/engine.ts";
import { openMvccStore } from "../../src/storage/mvcc/mvcc-store.ts";
import { prefixRange, type Store, StoreError } from "../../src/storage/store.ts";
import { ManualClock } from "../unit/storage/manual-clock.ts";
import { codeOf, create, remove, type StorageBackend, show, update } from "./store-harness.ts";

const all = prefixRange("/");
const FAULT = new Error("disk on fire");

/** Fails once, when the failpoint is reached for the given time (counted from 1). */
function failAt(place: StoreFailpoint, time: number): FailpointHook {
  let passed = 0;
  return (point) => {
    if (point === place && ++passed === time) throw FAULT;
  };
}

export function storeFailureContract(name: string, newPlace: () => Promise<StorageBackend>): void {
  describe(`${name}: failing`, () => {
    let place: StorageBackend;
    beforeEach(async () => {
      place = await newPlace();
    });
    afterEach(() => place[Symbol.asyncDispose]());

    const listed = (store: Store) => store.list(all).items.map(show);

    describe("a write that fails", () => {
      test.each<[StoreFailpoint, string[]]>([
        ["beforeWrite", ["/a=1@2/2"]],
        ["duringWrite", ["/a=2@2/3", "/b=@4/4"]],
        // The write had reached the disk: it was never acknowledged, but it is stored.
        ["beforePublish", ["/a=2@2/3", "/b=@4/4"]],
      ])(
        "%s: the callers are told, nothing changes, nothing more is accepted",
        async (point, afterReopening) => {
          let store = await place.open({ failpoints: failAt(point, 2) });
          await store.commit([create("/a", "1")]);
          const watch = store.watch(all, { after: store.revision });
          const outcomes = await Promise.allSettled([
            store.commit([update("/a", "2", 2)]),
            store.commit([create("/b")]),
            store.compact(toRevision(2)),
          ]);
          for (const outcome of outcomes) {
            const error: unknown = outcome.status === "rejected" ? outcome.reason : undefined;
            expect(error).toBeInstanceOf(StoreError);
            expect(error).toMatchObject({ code: "UNREADABLE", cause: FAULT });
          }
          expect([store.revision, store.compactedRevision, listed(store)]).toEqual([2, 1, ["/a=1@2/2"]]);
          expect(await codeOf(() => store.commit([create("/c")]))).toBe("UNREADABLE");
          expect(await codeOf(() => store.compact(toRevision(2)))).toBe("UNREADABLE");

          const last = watch.next();
          await store[Symbol.asyncDispose]();
          expect(await last).toBeUndefined();
          store = await place.open();
          expect(listed(store)).toEqual(afterReopening);
          expect(await store.commit([create("/c")])).toBe(store.revision);
        },
      );

      test.each<[StoreFailpoint, number]>([
        ["beforeWrite", 1],
        ["duringWrite", 2001],
        ["beforePublish", 2001],
      ])("%s: nothing of a change of very many keys is seen", async (point, afterReopening) => {
        let store = await place.open({ failpoints: failAt(point, 2) });
        await store.commit([create("/a", "1")]);
        const watch = store.watch(all, { after: store.revision, mayExpire: true });
        const many = Array.from({ length: 2000 }, (_, index) => create(`/many/${index}`));
        const outcome = codeOf(() => store.transform(() => [many], { forgetPast: true }));
        expect(await outcome).toBe("UNREADABLE");
        expect([store.revision, store.compactedRevision, listed(store)]).toEqual([2, 1, ["/a=1@2/2"]]);
        expect(store.changesOf("/many/0")).toEqual([]);
        const last = watch.next();
        await store[Symbol.asyncDispose]();
        expect(await last).toBeUndefined();
        store = await place.open();
        expect(store.count(all)).toBe(afterReopening);
      });

      test("to answer is a mistake of nobody: what can be read is there, and watched", async () => {
        const passed: string[] = [];
        await using store = await place.open({
          failpoints: (point) => {
            if (point === "beforeAnswer") passed.push(listed(store).join());
          },
        });
        await store.commit([create("/a", "1")]);
        expect(passed).toEqual(["/a=1@2/2"]);
      });

      test("in the engine is the cause of what the callers are told", async () => {
        const memory = createMemoryEngine();
        const engine = { ...memory, write: () => Promise.reject(FAULT) };
        const store = await openMvccStore(engine, { clock: new ManualClock() });
        await expect(store.commit([create("/a")])).rejects.toMatchObject({
          code: "UNREADABLE",
          cause: FAULT,
        });
        await expect(store.commit([create("/a")])).rejects.toThrow(
          "memory could not be written (disk on fire)",
        );
        expect([store.revision, store.count(all)]).toEqual([1, 0]);
      });
    });

    describe("a compaction that is cut off", () => {
      /** 300 versions of /a, and as many keys that are created and deleted: more than two slices of compaction. */
      async function writeMuch(store: Store): Promise<void> {
        const commits = [[create("/a", "0")]];
        for (let turn = 0; turn < 300; turn++) {
          const last = 2 * turn + (turn === 0 ? 2 : 1);
          commits.push([update("/a", `${turn}`, last), create(`/gone/${turn}`)]);
          commits.push([remove(`/gone/${turn}`, 2 * turn + 3)]);
        }
        await store.transform(() => commits);
      }

      test("before it has begun leaves everything as it was", async () => {
        await using store = await place.open({ failpoints: failAt("beforeCompaction", 1) });
        await writeMuch(store);
        const state = listed(store);
        await expect(store.compact(toRevision(store.revision - 10))).rejects.toBe(FAULT);
        expect([listed(store), store.compactedRevision]).toEqual([state, 1]);
        await store.compact(toRevision(store.revision - 10));
        expect([listed(store), store.compactedRevision]).toEqual([state, store.revision - 10]);
      });

      test.each([1, 2, 3])("at its slice %i leaves nothing behind after the next start", async (slice) => {
        let store = await place.open({ failpoints: failAt("duringCompaction", slice) });
        await writeMuch(store);
        const before = toRevision(store.revision - 10);
        const state = listed(store);
        const kept = store.list(all, { at: before }).items.map(show);
        await expect(store.compact(before)).rejects.toBe(FAULT);
        expect([listed(store), store.compactedRevision]).toEqual([state, before]);
        const { revision } = store;
        await store[Symbol.asyncDispose]();

        for (let start = 0; start < 2; start++) {
          store = await place.open();
          expect([store.revision, store.compactedRevision]).toEqual([revision, before]);
          expect([listed(store), store.list(all, { at: before }).items.map(show)]).toEqual([state, kept]);
          expect(await codeOf(() => store.get("/a", toRevision(before - 1)))).toBe("COMPACTED");
          await store[Symbol.asyncDispose]();
        }
      });
    });
  });
}
