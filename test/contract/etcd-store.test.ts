// The store contract for a store in a real etcd.
import { describe, expect, test } from "vitest";
import { toRevision } from "../../src/apimachinery/meta/revision.ts";
import { EVERY_KEY, type Store } from "../../src/storage/store.ts";
import { etcdProblem } from "../support/etcd.ts";
import { eventually } from "../support/eventually.ts";
import { storeContract } from "./store-contract.ts";
import { codeOf, create, etcdPlace, remove, show, showEvent, update } from "./store-harness.ts";

const problem = etcdProblem();
const listed = (store: Store): string[] => store.list(EVERY_KEY).items.map(show);

describe.skipIf(problem !== undefined)(
  `etcd${problem === undefined ? "" : ` (left out: ${problem})`}`,
  () => {
    storeContract("etcd", etcdPlace, { isSole: false });

    test("a revision of the future is waited for, but not for ever", async () => {
      await using place = await etcdPlace();
      const store = await place.open();
      expect(await store.reaches(toRevision(1), 0)).toBe(true);
      expect(await store.reaches(toRevision(9), 20)).toBe(false);
      const comes = store.reaches(toRevision(2), 60_000);
      await store.commit([create("/a")]);
      expect(await comes).toBe(true);
    });

    test("two stores see what the other one writes once they have caught up, each revision once and in order", async () => {
      await using place = await etcdPlace();
      const [one, two] = [await place.open(), await place.open()];
      const watch = two.watch(EVERY_KEY, { after: two.revision });
      for (let count = 0; count < 50; count++) {
        const [writer, reader] = count % 2 === 0 ? [one, two] : [two, one];
        const revision = await writer.commit([create(`/${count}`)]);
        await reader.caughtUp();
        expect(reader.get(`/${count}`)?.modRevision).toBe(revision);
      }
      const told: number[] = [];
      while (told.length < 50) told.push(...((await watch.next()) ?? []).map(({ revision }) => revision));
      expect(told).toEqual(Array.from({ length: 50 }, (_, index) => index + 2));
      expect(listed(one)).toEqual(listed(two));
    });

    test("of two stores that change one key at once one is told that it was late", async () => {
      await using place = await etcdPlace();
      const [one, two] = [await place.open(), await place.open()];
      const outcomes = await Promise.allSettled([one, two].map((store) => store.commit([create("/a")])));
      expect(outcomes.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
      const late = outcomes.find((outcome) => outcome.status === "rejected");
      expect(late?.reason).toMatchObject({ code: "KEY_EXISTS" });
      for (const store of [one, two]) expect(store.get("/a")?.modRevision).toBe(2);
    });

    test("what etcd refuses counts as a failure, and what it finds otherwise does not", async () => {
      await using place = await etcdPlace();
      const store = await place.open();
      await store.commit([create("/a")]);
      expect(await codeOf(() => store.commit([create("/a")]))).toBe("KEY_EXISTS");
      const many = Array.from({ length: 129 }, (_, index) => create(`/many/${index}`));
      expect(await codeOf(() => store.commit(many))).toBe("REFUSED");
      const { operations, received } = store.metrics.of("/a");
      expect(operations.create).toMatchObject({ errors: 1, seconds: { count: 3 } });
      expect(received).toBe(1);
    });

    test("a change of everything may be larger than what etcd takes at once", async () => {
      await using place = await etcdPlace();
      const store = await place.open();
      const large = "x".repeat(100_000);
      const names = Array.from({ length: 60 }, (_, index) => `/large/${index + 10}`);
      await store.transform(() => [names.map((name) => create(name, large))]);
      expect(store.list(EVERY_KEY).items.map(({ key }) => key)).toEqual(names);
      const changed = () => [
        store.list(EVERY_KEY).items.map((kv) => update(kv.key, `${large}y`, kv.modRevision)),
      ];
      await store.transform(changed);
      expect(store.list(EVERY_KEY).items.every(({ value }) => value.byteLength === 100_001)).toBe(true);
      const tooLarge = store.transform(() => [[create("/small"), create("/too-large", large.repeat(20))]]);
      expect(await codeOf(() => tooLarge)).toBe("REFUSED");
    });

    test("a commit of a change may build on an earlier one that etcd took in several transactions", async () => {
      await using place = await etcdPlace();
      const store = await place.open();
      const names = Array.from({ length: 300 }, (_, index) => `/many/${index + 100}`);
      const planned = toRevision(store.revision + 1);
      await store.transform(() => [
        names.map((name) => create(name, "1")),
        names.map((name) => update(name, "2", planned)),
      ]);
      expect(store.list(EVERY_KEY).items.map(({ value }) => `${value}`)).toEqual(names.map(() => "2"));
    });

    test("a store whose watch was compacted away reads all anew, and tells what has become different", async () => {
      await using place = await etcdPlace();
      const [store, other] = [await place.open(), await place.open()];
      await store.commit([create("/stays", "1"), create("/goes")]);
      await other.caughtUp();
      const kept = other.watch(EVERY_KEY, { after: other.revision });
      const expiring = other.watch(EVERY_KEY, { after: other.revision, mayExpire: true });
      place.cut(other);
      await store.commit([remove("/goes", 2)]);
      await store.commit([create("/comes")]);
      await store.commit([update("/stays", "2", 2)]);
      await store.compact(store.revision);
      place.mend(other);
      expect(await expiring.next()).toBeUndefined();
      const fromThere = { after: toRevision(2), mayExpire: true };
      expect(await codeOf(() => other.watch(EVERY_KEY, fromThere).next())).toBe("COMPACTED");
      const [change] = (await kept.next()) ?? [];
      expect(change?.events.map(showEvent).sort()).toEqual([
        "delete /goes at 5 (was /goes=@2/2)",
        "put /comes=@4/4 (was -)",
        "put /stays=2@2/5 (was /stays=1@2/2)",
      ]);
      await other.caughtUp();
      expect(listed(other)).toEqual(listed(store));
      expect(other.compactedRevision).toBe(5);
      expect(await other.commit([create("/more")])).toBe(6);
    });

    test("an etcd that was restored from an older copy is read anew, and all watches end", async () => {
      await using place = await etcdPlace();
      const store = await place.open();
      await store.commit([create("/stays", "1")]);
      await store.commit([create("/comes back")]);
      const copy = place.etcd.save("copy");
      await store.commit([remove("/comes back", 3)]);
      await store.commit([update("/stays", "2", 2)]);
      await store.commit([create("/goes")]);
      const watches = [false, true].map((mayExpire) =>
        store.watch(EVERY_KEY, { after: store.revision, mayExpire }),
      );
      await place.etcd.restore(copy);

      await store.caughtUp();
      expect(listed(store)).toEqual(["/comes back=@3/3", "/stays=1@2/2"]);
      expect([store.revision, store.compactedRevision]).toEqual([3, 3]);
      for (const watch of watches) expect(await codeOf(() => watch.next())).toBe("COMPACTED");
      // No watch resumes from a compacted revision.
      expect(await codeOf(() => store.watch(EVERY_KEY, { after: toRevision(6) }))).toBe("COMPACTED");
      expect(await codeOf(() => store.commit([update("/stays", "3", 5)]))).toBe("REVISION_MISMATCH");
      const watch = store.watch(EVERY_KEY, { after: store.revision });
      expect(await store.commit([update("/stays", "3", 2)])).toBe(4);
      expect((await watch.next())?.flatMap(({ events }) => events.map(showEvent))).toEqual([
        "put /stays=3@2/4 (was /stays=1@2/2)",
      ]);
      await eventually(
        () => store.trouble,
        (trouble) => trouble === undefined,
      );
    });

    test("a write that finds etcd restored is done, and can be read", async () => {
      await using place = await etcdPlace();
      const store = await place.open();
      const copy = place.etcd.save("copy");
      for (const key of ["/a", "/b", "/c"]) await store.commit([create(key)]);
      await place.etcd.restore(copy);
      expect(await store.commit([create("/b", "new")])).toBe(2);
      expect(listed(store)).toEqual(["/b=new@2/2"]);
    });

    test("an etcd that was restored, and to which others have written more since, is read anew", async () => {
      await using place = await etcdPlace();
      const [store, other] = [await place.open(), await place.open()];
      await store.commit([create("/stays")]);
      const copy = place.etcd.save("copy");
      for (const key of ["/a", "/b", "/c"]) await store.commit([create(key, "old")]);
      const watch = store.watch(EVERY_KEY, { after: store.revision });
      place.cut(store);
      await place.etcd.restore(copy);
      await other.caughtUp();
      for (const key of ["/c", "/d", "/e", "/f"]) await other.commit([create(key, "new")]);
      place.mend(store);
      expect(await codeOf(() => watch.next())).toBe("COMPACTED");
      await store.caughtUp();
      expect(listed(store)).toEqual(listed(other));
      expect(await store.commit([create("/g")])).toBe(7);
    });

    test("a key with a lease can be written after a restore, which knows nothing of the lease", async () => {
      await using place = await etcdPlace();
      const store = await place.open({ ttlSeconds: () => 60 });
      const copy = place.etcd.save("copy");
      await store.commit([create("/a")]);
      await place.etcd.restore(copy);
      expect(await store.commit([create("/b")])).toBe(2);
    });
  },
);
