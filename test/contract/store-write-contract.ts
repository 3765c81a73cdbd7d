// Store contract: reads of the newest state, and writes.
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { prefixRange, type Store, type TxnOp } from "../../src/storage/store.ts";
import { codeOf, create, remove, type StorageBackend, show, update } from "./store-harness.ts";

export function storeWriteContract(
  name: string,
  newPlace: () => Promise<StorageBackend>,
  isSole: boolean,
): void {
  describe(`${name}: reading and writing`, () => {
    let place: StorageBackend;
    let store: Store;
    beforeEach(async () => {
      place = await newPlace();
      store = await place.open();
    });
    afterEach(() => place[Symbol.asyncDispose]());

    const all = prefixRange("/");
    const list = () => store.list(all).items.map(show);
    /**
     * Where other processes write as well, operations that were issued together on different keys may be committed in any
     * order.
     */
    const asIssued = (revisions: readonly number[]): readonly number[] =>
      isSole ? revisions : [...revisions].sort((a, b) => a - b);

    test("a new store is empty, at revision 1", () => {
      expect([store.revision, store.compactedRevision, store.count(all)]).toEqual([1, 1, 0]);
      expect(store.list(all)).toEqual({ items: [], revision: 1, remaining: 0 });
    });

    test("every commit is its own revision, also of commits that were issued together", async () => {
      expect(await store.commit([create("/a")])).toBe(2);
      const together = ["/b", "/c", "/d"].map((key) => store.commit([create(key)]));
      expect(asIssued(await Promise.all(together))).toEqual([3, 4, 5]);
      expect(store.revision).toBe(5);
    });

    test("a create sets both revisions, an update keeps the first, a new create starts again", async () => {
      await store.commit([create("/a", "one")]);
      expect(show(store.get("/a"))).toBe("/a=one@2/2");
      await store.commit([update("/a", "two", 2)]);
      expect(show(store.get("/a"))).toBe("/a=two@2/3");
      await store.commit([remove("/a", 3)]);
      expect(store.get("/a")).toBeUndefined();
      await store.commit([create("/a", "new")]);
      expect(show(store.get("/a"))).toBe("/a=new@5/5");
    });

    test("the operations of one commit share one revision", async () => {
      await store.commit([create("/a", "1"), create("/b", "1"), create("/c", "1")]);
      await store.commit([update("/a", "2", 2), remove("/b", 2), create("/d", "2")]);
      expect(list()).toEqual(["/a=2@2/3", "/c=1@2/2", "/d=2@3/3"]);
    });

    test.each<[string, TxnOp, string]>([
      ["create of a key that is there", create("/a", "x"), "KEY_EXISTS"],
      ["update at another revision", update("/a", "x", 3), "REVISION_MISMATCH"],
      ["update of a key that is not there", update("/z", "x", 2), "REVISION_MISMATCH"],
      ["delete at another revision", remove("/a", 3), "REVISION_MISMATCH"],
      ["delete of a key that is not there", remove("/z", 2), "REVISION_MISMATCH"],
    ])("%s is refused, and nothing of its commit is done", async (_, op, code) => {
      await store.commit([create("/a", "one")]);
      expect(await codeOf(() => store.commit([create("/b"), op, create("/c")]))).toBe(code);
      expect(list()).toEqual(["/a=one@2/2"]);
      expect(store.revision).toBe(2);
      expect(await store.commit([create("/b")])).toBe(3);
    });

    test.each<[string, TxnOp[]]>([
      ["without operations", []],
      ["that touches a key twice", [create("/a"), remove("/a", 2)]],
      ["of the empty key", [create("")]],
    ])("a commit %s is a mistake of the caller", async (_, ops) => {
      await expect(store.commit(ops)).rejects.toThrow(TypeError);
    });

    test("of commits issued together each sees the ones before it", async () => {
      await store.commit([create("/a", "one")]);
      const outcomes = await Promise.allSettled([
        store.commit([update("/a", "first", 2)]),
        store.commit([update("/a", "second", 2)]),
        store.commit([create("/b", "first")]),
        store.commit([create("/b", "second")]),
      ]);
      expect(outcomes.map(({ status }) => status)).toEqual([
        "fulfilled",
        "rejected",
        "fulfilled",
        "rejected",
      ]);
      const [a, b] = ["/a", "/b"].map((key) => store.get(key));
      expect([a, b].map((kv) => kv && Buffer.from(kv.value).toString())).toEqual(["first", "first"]);
      expect(asIssued([a?.modRevision ?? 0, b?.modRevision ?? 0])).toEqual([3, 4]);
    });

    test("a guard that has changed refuses the commit, one that has not is left as it is", async () => {
      const modRevision = await store.commit([create("/guard", "mine")]);
      const guard = { key: "/guard", modRevision };
      expect(await store.commit([create("/a")], guard)).toBe(3);
      expect(show(store.get("/guard"))).toBe("/guard=mine@2/2");
      await store.commit([update("/guard", "theirs", 2)]);
      expect(await codeOf(() => store.commit([create("/b")], guard))).toBe("GUARDED");
      await store.commit([remove("/guard", 4)]);
      expect(await codeOf(() => store.commit([create("/b")], guard))).toBe("GUARDED");
      expect(list()).toEqual(["/a=@3/3"]);
    });

    test("a caller who is told that a key is there can read it", async () => {
      void store.commit([create("/a", "one")]);
      expect(await codeOf(() => store.commit([create("/a", "two")]))).toBe("KEY_EXISTS");
      expect(show(store.get("/a"))).toBe("/a=one@2/2");
    });

    test("a revision is readable, then published, then answered", async () => {
      const watch = store.watch(all, { after: store.revision });
      const seen: string[] = [];
      const told = watch.next().then(() => seen.push(`told ${show(store.get("/a"))}`));
      const answered = store.commit([create("/a")]).then(() => seen.push("answered"));
      expect(store.get("/a")).toBeUndefined();
      await Promise.all([told, answered]);
      expect(seen).toEqual(["told /a=@2/2", "answered"]);
    });

    test("the same key at the same revision is the same object", async () => {
      const watch = store.watch(all, { after: store.revision });
      await store.commit([create("/a")]);
      const kv = store.get("/a");
      const [event] = (await watch.next())?.[0]?.events ?? [];
      await store.commit([update("/a", "two", 2)]);
      const [next] = (await watch.next())?.[0]?.events ?? [];
      const { revision } = store;
      await store.commit([create("/b")]);
      expect(event?.type === "put" && event.kv).toBe(kv);
      expect(next?.prev).toBe(kv);
      expect(store.list(all, { at: event?.type === "put" ? event.kv.modRevision : revision }).items[0]).toBe(
        kv,
      );
      expect(store.get("/a", revision)).toBe(store.get("/a"));
    });

    test("a range goes from its first key up to, not including, its last, in byte order", async () => {
      await store.commit(["/b/2", "/a", "/b/", "/c", "/b-1", "/b/10", "/b0"].map((key) => create(key)));
      const keys = (from: string, to: string) => store.list({ from, to }).items.map(({ key }) => key);
      expect(keys("/b/", "/b0")).toEqual(["/b/", "/b/10", "/b/2"]);
      expect(keys("/b/10", "/c")).toEqual(["/b/10", "/b/2", "/b0"]);
      expect(keys("/a", "/z")).toEqual(["/a", "/b-1", "/b/", "/b/10", "/b/2", "/b0", "/c"]);
      expect(keys("/c", "/a")).toEqual([]);
      expect(store.count(prefixRange("/b/"))).toBe(3);
      expect(store.count({ from: "/c", to: "/a" })).toBe(0);
    });

    test.each([
      [0, [], 5],
      [1, ["/a"], 4],
      [4, ["/a", "/b", "/c", "/d"], 1],
      [5, ["/a", "/b", "/c", "/d", "/e"], 0],
      [9, ["/a", "/b", "/c", "/d", "/e"], 0],
    ])("a limit of %i gives %j and says that %i remain", async (limit, keys, remaining) => {
      await store.commit(["/a", "/b", "/c", "/d", "/e"].map((key) => create(key)));
      const page = store.list(all, { limit });
      expect([page.items.map(({ key }) => key), page.remaining]).toEqual([keys, remaining]);
    });

    test("closing does what is queued, and refuses what comes later", async () => {
      const queued = [store.commit([create("/a")]), store.commit([create("/b")])];
      const closed = store[Symbol.asyncDispose]();
      const closedError = { code: "CLOSED", message: "the store is closed" };
      await expect(store.commit([create("/c")])).rejects.toMatchObject(closedError);
      expect(() => store.watch(all, { after: store.revision })).toThrow(expect.objectContaining(closedError));
      expect(asIssued(await Promise.all(queued))).toEqual([2, 3]);
      await closed;
      await store[Symbol.asyncDispose]();
      store = await place.open();
      expect(store.list(all).items.map(({ key }) => key)).toEqual(["/a", "/b"]);
      expect(asIssued(store.list(all).items.map(({ modRevision }) => modRevision))).toEqual([2, 3]);
    });
  });
}
