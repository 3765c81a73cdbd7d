// Store contract: watches.
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { toRevision } from "../../src/apimachinery/meta/revision.ts";
import { prefixRange, type Store } from "../../src/storage/store.ts";
import { codeOf, create, remove, type StorageBackend, showNext, update } from "./store-harness.ts";

export function storeWatchContract(name: string, newPlace: () => Promise<StorageBackend>): void {
  describe(`${name}: watching`, () => {
    let place: StorageBackend;
    let store: Store;
    const all = prefixRange("/");
    beforeEach(async () => {
      place = await newPlace();
      store = await place.open({ watchUnreadChangesMax: 3, watchUnreadBytesMax: 1000 });
    });
    afterEach(() => place[Symbol.asyncDispose]());

    test("a change of several keys comes as one, in the order of its operations, each with what was before", async () => {
      await store.commit([create("/b", "1"), create("/c", "1")]);
      const watch = store.watch(all, { after: store.revision });
      await store.commit([remove("/c", 2), update("/b", "2", 2), create("/a", "2")]);
      expect(await showNext(watch)).toEqual([
        "3: delete /c at 3 (was /c=1@2/2), put /b=2@2/3 (was /b=1@2/2), put /a=2@3/3 (was -)",
      ]);
    });

    test("next gives everything since the last call at once", async () => {
      const watch = store.watch(all, { after: store.revision });
      await store.commit([create("/a")]);
      await store.commit([create("/b")]);
      expect(await showNext(watch)).toEqual(["2: put /a=@2/2 (was -)", "3: put /b=@3/3 (was -)"]);
      const waiting = showNext(watch);
      await store.commit([create("/c")]);
      expect(await waiting).toEqual(["4: put /c=@4/4 (was -)"]);
    });

    test("a watch from the past replays, and goes on without a gap", async () => {
      await store.commit([create("/a")]);
      await store.commit([create("/b")]);
      const onItsWay = store.commit([create("/c")]);
      const watch = store.watch(all, { after: toRevision(2) });
      await onItsWay;
      expect(await showNext(watch)).toEqual(["3: put /b=@3/3 (was -)", "4: put /c=@4/4 (was -)"]);
    });

    test("a watch from the future waits for it", async () => {
      const watch = store.watch(all, { after: toRevision(3) });
      for (const key of ["/a", "/b", "/c"]) await store.commit([create(key)]);
      expect(await showNext(watch)).toEqual(["4: put /c=@4/4 (was -)"]);
    });

    test("a watch is told of its range only, and of that part of a change", async () => {
      const prefix = store.watch(prefixRange("/pods/ns1/"), { after: store.revision });
      const key = store.watch({ from: "/pods/ns1/a", to: "/pods/ns1/a\0" }, { after: store.revision });
      const nothing = store.watch({ from: "/z", to: "/a" }, { after: store.revision });
      await store.commit([create("/pods/ns2/a"), create("/pods/ns1"), create("/pods/ns10/a")]);
      await store.commit([create("/pods/ns1/a"), create("/nodes/a"), create("/pods/ns1/ab")]);
      expect(await showNext(prefix)).toEqual([
        "3: put /pods/ns1/a=@3/3 (was -), put /pods/ns1/ab=@3/3 (was -)",
      ]);
      expect(await showNext(key)).toEqual(["3: put /pods/ns1/a=@3/3 (was -)"]);
      nothing.close();
      expect(await nothing.next()).toBeUndefined();
    });

    test("a replay is cut to the range as well, however it is found", async () => {
      for (let number = 0; number < 20; number++) await store.commit([create(`/other/${number}`)]);
      await store.commit([create("/mine/a"), create("/other/a"), create("/mine/b")]);
      await store.commit([remove("/mine/a", 22)]);
      const expected = [
        "22: put /mine/a=@22/22 (was -), put /mine/b=@22/22 (was -)",
        "23: delete /mine/a at 23 (was /mine/a=@22/22)",
      ];
      for (const after of [1, 20, 21]) {
        expect(await showNext(store.watch(prefixRange("/mine/"), { after: toRevision(after) }))).toEqual(
          expected,
        );
      }
    });

    test("watchers are handed the same objects", async () => {
      const ranges = [all, all, { from: "/a", to: "/c" }];
      const watches = ranges.map((range) => store.watch(range, { after: store.revision }));
      await store.commit([create("/a"), create("/b")]);
      await store.commit([create("/a/1"), create("/z")]);
      const [first, second, narrow] = await Promise.all(watches.map((watch) => watch.next()));
      expect(second?.map((change, at) => change === first?.[at])).toEqual([true, true]);
      expect(narrow?.map((change, at) => change === first?.[at])).toEqual([true, false]);
      expect(narrow?.[1]?.events[0]).toBe(first?.[1]?.events[0]);
      const late = await store.watch(all, { after: toRevision(1) }).next();
      expect(late?.map((change, at) => change === first?.[at])).toEqual([true, true]);
    });

    test("ranges are told apart by both their ends", async () => {
      // The bounds of these two ranges are equal when concatenated.
      const one = store.watch({ from: "/a", to: "/a/b/c" }, { after: store.revision });
      const two = store.watch({ from: "/a/a", to: "/b/c" }, { after: store.revision });
      await store.commit([create("/a/0")]);
      await store.commit([create("/b/b")]);
      expect(await showNext(one)).toEqual(["2: put /a/0=@2/2 (was -)"]);
      expect(await showNext(two)).toEqual(["3: put /b/b=@3/3 (was -)"]);
    });

    test("a watcher that is dropped takes nothing from the watchers of other ranges", async () => {
      const range = (from: string) => ({ from, to: "/z" });
      let told = 0;
      const lagging = store.watch(range("/a"), { after: store.revision, dropped: () => void told++ });
      const reading = ["/b", "/c"].map((from) => store.watch(range(from), { after: store.revision }));
      for (const key of ["/x/1", "/x/2", "/x/3", "/x/4"]) {
        const read = reading.map(showNext);
        await store.commit([create(key)]);
        expect(await Promise.all(read)).toHaveLength(2);
      }
      expect([told, store.watches]).toEqual([1, { open: 2, dropped: 1 }]);
      for (const watch of [lagging, ...reading]) watch.close();
      expect(store.watches).toEqual({ open: 0, dropped: 1 });
    });

    test("a closed watch says nothing more, to a waiting reader neither", async () => {
      const watch = store.watch(all, { after: store.revision });
      const waiting = watch.next();
      watch.close();
      watch.close();
      await store.commit([create("/a")]);
      expect([await waiting, await watch.next()]).toEqual([undefined, undefined]);
    });

    test("closing the store ends its watches", async () => {
      const watch = store.watch(all, { after: store.revision });
      const waiting = watch.next();
      await store[Symbol.asyncDispose]();
      expect([await waiting, await watch.next()]).toEqual([undefined, undefined]);
    });

    test("a watcher that leaves too many bytes unread is dropped, but not for one change", async () => {
      const slow = store.watch(all, { after: store.revision });
      await store.commit([create("/a", "x".repeat(2000))]);
      expect(await showNext(slow)).toHaveLength(1);
      await store.commit([create("/b", "x".repeat(600))]);
      await store.commit([create("/c", "x".repeat(600))]);
      await expect(slow.next()).rejects.toMatchObject({
        code: "SLOW_CONSUMER",
        message: "the watch was dropped: more than 3 changes or 1000 bytes were left unread",
      });
    });

    test("a watcher that leaves too much unread is dropped; others and later watches are not", async () => {
      const slow = store.watch(all, { after: store.revision });
      const quick = store.watch(all, { after: store.revision });
      for (const key of ["/a", "/b", "/c"]) await store.commit([create(key)]);
      expect(await showNext(quick)).toHaveLength(3);
      await store.commit([create("/d")]);
      expect(await codeOf(() => slow.next())).toBe("SLOW_CONSUMER");
      expect(await codeOf(() => slow.next())).toBe("SLOW_CONSUMER");
      expect(await showNext(quick)).toEqual(["5: put /d=@5/5 (was -)"]);
      slow.close();
      expect(await slow.next()).toBeUndefined();
      expect(await showNext(store.watch(all, { after: toRevision(1) }))).toHaveLength(4);
    });

    test("what was there before the watch does not count as unread", async () => {
      for (const key of ["/a", "/b", "/c", "/d", "/e"]) await store.commit([create(key)]);
      const watch = store.watch(all, { after: toRevision(1) });
      await store.commit([create("/f")]);
      expect(await showNext(watch)).toHaveLength(6);
    });

    test("a watch has one reader at a time", async () => {
      const watch = store.watch(all, { after: store.revision });
      const waiting = watch.next();
      await expect(watch.next()).rejects.toThrow(new TypeError("the watch is already being waited for"));
      await store.commit([create("/a")]);
      expect(await waiting).toHaveLength(1);
    });
  });
}
