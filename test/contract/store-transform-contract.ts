// Store contract: transforms, which change all keys at once.
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { toRevision } from "../../src/apimachinery/meta/revision.ts";
import { EVERY_KEY, type Store, type TxnOp } from "../../src/storage/store.ts";
import { codeOf, create, remove, type StorageBackend, show, showNext, update } from "./store-harness.ts";

export function storeTransformContract(name: string, newPlace: () => Promise<StorageBackend>): void {
  describe(`${name}: transforming`, () => {
    let place: StorageBackend;
    let store: Store;
    beforeEach(async () => {
      place = await newPlace();
      store = await place.open();
    });
    afterEach(() => place[Symbol.asyncDispose]());

    const list = () => store.list(EVERY_KEY).items.map(show);

    test("the plan sees every earlier commit, and nothing comes between", async () => {
      const before = Array.from({ length: 20 }, (_, index) => store.commit([create(`/a${index}`)]));
      const emptied = store.transform(() => {
        const { items } = store.list(EVERY_KEY);
        return [items.map(({ key, modRevision }): TxnOp => remove(key, modRevision))];
      });
      const after = store.commit([create("/b")]);
      await Promise.all([...before, emptied, after]);
      const left = new Set(store.list(EVERY_KEY).items.map(({ key }) => key));
      const seen = store.list(EVERY_KEY, { at: await emptied }).items;
      expect(seen).toEqual([]);
      expect(left.has("/b")).toBe(true);
    });

    test("each of its commits is a revision, and a watch sees all of them", async () => {
      await store.commit([create("/a", "1")]);
      const watch = store.watch(EVERY_KEY, { after: store.revision });
      expect(await store.transform(() => [[remove("/a", 2)], [create("/a", "2"), create("/b", "2")]])).toBe(
        4,
      );
      expect(await showNext(watch)).toEqual([
        "3: delete /a at 3 (was /a=1@2/2)",
        "4: put /a=2@4/4 (was -), put /b=2@4/4 (was -)",
      ]);
      watch.close();
    });

    test("nothing to do is no revision", async () => {
      await store.commit([create("/a")]);
      expect(await store.transform(() => [])).toBe(2);
      expect(store.revision).toBe(2);
    });

    test.each<[string, readonly (readonly TxnOp[])[], unknown]>([
      ["an operation that may not be done", [[create("/b")], [create("/a")]], "KEY_EXISTS"],
      ["a revision that is another one", [[update("/a", "x", 9)]], "REVISION_MISMATCH"],
    ])("%s refuses all of it", async (_what, commits, code) => {
      await store.commit([create("/a", "1")]);
      expect(await codeOf(() => store.transform(() => commits))).toBe(code);
      expect(list()).toEqual(["/a=1@2/2"]);
      expect(store.revision).toBe(2);
    });

    test("what the plan throws is thrown, and the store goes on", async () => {
      const plan = () => {
        throw new RangeError("no plan");
      };
      await expect(store.transform(plan)).rejects.toThrow(RangeError);
      expect(await store.commit([create("/a")])).toBe(2);
    });

    test("forgetting the past ends the watches that may expire, and leaves the others", async () => {
      await store.commit([create("/a", "1")]);
      const mine = store.watch(EVERY_KEY, { after: store.revision, mayExpire: true });
      const waiting = codeOf(() => mine.next());
      const other = store.watch(EVERY_KEY, { after: store.revision });
      await store.commit([create("/b", "1")]);
      const late = store.watch(EVERY_KEY, { after: store.revision, mayExpire: true });
      expect(await store.transform(() => [[remove("/a", 2)]], { forgetPast: true })).toBe(4);
      const message = "the past up to revision 4 has been forgotten";
      await expect(late.next()).rejects.toMatchObject({ code: "COMPACTED", message });
      expect(["no error", "COMPACTED"]).toContain(await waiting); // the watcher has received /b, or not yet
      expect(await codeOf(() => mine.next())).toBe("COMPACTED");
      expect((await showNext(other))?.at(-1)).toBe("4: delete /a at 4 (was /a=1@2/2)");
      expect(store.compactedRevision).toBe(4);
      expect(await codeOf(() => store.list(EVERY_KEY, { at: store.compactedRevision }))).toBe("no error");
      expect(await codeOf(() => store.watch(EVERY_KEY, { after: toRevision(3) }))).toBe("COMPACTED");
    });

    test("the past can be forgotten without a change", async () => {
      await store.commit([create("/a", "1")]);
      const watch = store.watch(EVERY_KEY, { after: store.revision, mayExpire: true });
      expect(await store.transform(() => [], { forgetPast: true })).toBe(2);
      expect(store.compactedRevision).toBe(2);
      expect(await codeOf(() => watch.next())).toBe("COMPACTED");
    });

    test("what was forgotten is forgotten after the store was opened again, what stands is there", async () => {
      for (const text of ["1", "2", "3"]) await store.commit([create(`/${text}`, text)]);
      await Promise.all([
        store.compact(store.revision),
        store.transform(() => [[remove("/1", 2)], [create("/4", "4")]], { forgetPast: true }),
        store.commit([create("/5", "5")]),
      ]);
      await store[Symbol.asyncDispose]();
      const again = await place.open();
      expect(again.list(EVERY_KEY).items.map(({ key }) => key)).toEqual(["/2", "/3", "/4", "/5"]);
      expect(again.compactedRevision).toBeGreaterThanOrEqual(4);
      expect(again.revision).toBe(7);
    });

    test("a closed store refuses it", async () => {
      await store[Symbol.asyncDispose]();
      expect(await codeOf(() => store.transform(() => []))).toBe("CLOSED");
    });
  });
}
