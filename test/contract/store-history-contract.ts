// Store contract: reads at older revisions, compaction, and reopening.
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { toRevision } from "../../src/apimachinery/meta/revision.ts";
import { prefixRange, type Store } from "../../src/storage/store.ts";
import {
  codeOf,
  create,
  remove,
  type StorageBackend,
  show,
  showEvent,
  showNext,
  update,
} from "./store-harness.ts";

export function storeHistoryContract(name: string, newPlace: () => Promise<StorageBackend>): void {
  describe(`${name}: history`, () => {
    let place: StorageBackend;
    let store: Store;
    const all = prefixRange("/");
    const listAt = (at: number) => store.list(all, { at: toRevision(at) }).items.map(show);

    beforeEach(async () => {
      place = await newPlace();
      store = await place.open();
      await store.commit([create("/a", "1"), create("/c", "1")]); // 2
      await store.commit([update("/a", "2", 2)]); // 3
      await store.commit([remove("/c", 2), create("/b", "1")]); // 4
      await store.commit([update("/a", "3", 3)]); // 5
    });
    afterEach(() => place[Symbol.asyncDispose]());

    test("every revision can be read as it was", () => {
      expect(listAt(1)).toEqual([]);
      expect(listAt(2)).toEqual(["/a=1@2/2", "/c=1@2/2"]);
      expect(listAt(3)).toEqual(["/a=2@2/3", "/c=1@2/2"]);
      expect(listAt(4)).toEqual(["/a=2@2/3", "/b=1@4/4"]);
      expect(listAt(5)).toEqual(["/a=3@2/5", "/b=1@4/4"]);
      const atThree = ["/a", "/b", "/c", "/d"].map((key) => show(store.get(key, toRevision(3))));
      expect(atThree).toEqual(["/a=2@2/3", "-", "/c=1@2/2", "-"]);
    });

    test("pages at one revision make up the list, and count what remains at that revision", () => {
      const at = toRevision(3);
      const first = store.list(all, { at, limit: 1 });
      const second = store.list({ from: "/a\0", to: all.to }, { at, limit: 1 });
      expect([first.items.map(show), first.remaining, first.revision]).toEqual([["/a=2@2/3"], 1, 3]);
      expect([second.items.map(show), second.remaining]).toEqual([["/c=1@2/2"], 0]);
      expect(store.list(all, { at, limit: 0 }).remaining).toBe(2);
    });

    test("the changes of one key are those after the compacted revision", async () => {
      const changesOf = (key: string) => store.changesOf(key).map(showEvent);
      expect(changesOf("/a")).toEqual([
        "put /a=1@2/2 (was -)",
        "put /a=2@2/3 (was /a=1@2/2)",
        "put /a=3@2/5 (was /a=2@2/3)",
      ]);
      expect(changesOf("/c")).toEqual(["put /c=1@2/2 (was -)", "delete /c at 4 (was /c=1@2/2)"]);
      expect(changesOf("/d")).toEqual([]);
      await store.compact(toRevision(3));
      expect(changesOf("/a")).toEqual(["put /a=3@2/5 (was /a=2@2/3)"]);
      await store.compact(toRevision(5));
      expect(changesOf("/a")).toEqual([]);
    });

    test("a revision that is not there yet is refused", async () => {
      const at = toRevision(6);
      const message = "revision 6 is not there yet, the newest is 5";
      const refused = expect.objectContaining({ code: "FUTURE_REVISION", message });
      expect(() => store.get("/a", at)).toThrow(refused);
      expect(() => store.list(all, { at })).toThrow(refused);
      await expect(store.compact(at)).rejects.toEqual(refused);
    });

    test("compaction forgets the states before its revision, not the state at it or after it", async () => {
      await store.compact(toRevision(4));
      expect([store.compactedRevision, store.revision]).toEqual([4, 5]);
      const message = "revision 3 has been compacted, the oldest kept is 4";
      const refused = expect.objectContaining({ code: "COMPACTED", message });
      expect(() => store.get("/a", toRevision(3))).toThrow(refused);
      expect(() => store.watch(all, { after: toRevision(3) })).toThrow(refused);
      expect(await codeOf(() => store.list(all, { at: toRevision(1) }))).toBe("COMPACTED");
      expect(listAt(4)).toEqual(["/a=2@2/3", "/b=1@4/4"]);
      expect(listAt(5)).toEqual(["/a=3@2/5", "/b=1@4/4"]);
    });

    test("after compaction a watch may start at its revision, not before it", async () => {
      await store.compact(toRevision(4));
      expect(await codeOf(() => store.watch(all, { after: toRevision(3) }))).toBe("COMPACTED");
      const watch = store.watch(all, { after: toRevision(4) });
      expect(await showNext(watch)).toEqual(["5: put /a=3@2/5 (was /a=2@2/3)"]);
    });

    test("a watch that is open when history is compacted loses nothing", async () => {
      const watch = store.watch(all, { after: toRevision(3) });
      await store.compact(toRevision(5));
      expect(await showNext(watch)).toEqual([
        "4: delete /c at 4 (was /c=1@2/2), put /b=1@4/4 (was -)",
        "5: put /a=3@2/5 (was /a=2@2/3)",
      ]);
    });

    test("compacting to 2 makes revision 1 a thing of the past", async () => {
      await store.compact(toRevision(2));
      expect(await codeOf(() => store.get("/a", toRevision(1)))).toBe("COMPACTED");
      expect(await codeOf(() => store.watch(all, { after: toRevision(1) }))).toBe("COMPACTED");
    });

    test("compaction never goes back, and takes several calls at once", async () => {
      await Promise.all([
        store.compact(toRevision(4)),
        store.compact(toRevision(3)),
        store.compact(toRevision(2)),
      ]);
      expect(store.compactedRevision).toBe(4);
      expect(listAt(4)).toEqual(["/a=2@2/3", "/b=1@4/4"]);
    });

    test("a closed store does not compact", async () => {
      await store[Symbol.asyncDispose]();
      expect(await codeOf(() => store.compact(toRevision(5)))).toBe("CLOSED");
    });

    test("opening again finds the state, every kept state, and the changes between them", async () => {
      await store.compact(toRevision(3));
      await store[Symbol.asyncDispose]();
      store = await place.open();
      expect([store.revision, store.compactedRevision]).toEqual([5, 3]);
      expect(await codeOf(() => store.get("/a", toRevision(2)))).toBe("COMPACTED");
      expect(listAt(3)).toEqual(["/a=2@2/3", "/c=1@2/2"]);
      expect(listAt(4)).toEqual(["/a=2@2/3", "/b=1@4/4"]);
      expect(listAt(5)).toEqual(["/a=3@2/5", "/b=1@4/4"]);
      expect(await showNext(store.watch(all, { after: toRevision(3) }))).toEqual([
        "4: delete /c at 4 (was /c=1@2/2), put /b=1@4/4 (was -)",
        "5: put /a=3@2/5 (was /a=2@2/3)",
      ]);
      expect(await store.commit([create("/d", "1")])).toBe(6);
    });

    test("the revision survives even when the newest change was a deletion that is compacted", async () => {
      await store.commit([remove("/a", 5), remove("/b", 4)]);
      await store.compact(toRevision(6));
      await store[Symbol.asyncDispose]();
      store = await place.open();
      expect([store.revision, store.compactedRevision, store.count(all)]).toEqual([6, 6, 0]);
      expect(await store.commit([create("/a", "again")])).toBe(7);
      expect(show(store.get("/a"))).toBe("/a=again@7/7");
    });
  });
}
