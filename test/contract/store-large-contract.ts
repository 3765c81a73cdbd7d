// Store contract: reads and writes during a change of very many keys, which is made in slices.
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { EVERY_KEY, type Store, type StoreWatch, type TxnOp } from "../../src/storage/store.ts";
import { countTurns } from "../support/count-turns.ts";
import { codeOf, create, remove, type StorageBackend, show, showChange, update } from "./store-harness.ts";

const MANY = 2500;
const names = Array.from({ length: MANY }, (_, index) => `/many/${index + 10_000}`);

const createAll = (): TxnOp[] => names.map((key) => create(key, "1"));
const listed = (store: Store): string[] => store.list(EVERY_KEY).items.map(show);
const removeAll = (store: Store): TxnOp[] =>
  store.list(EVERY_KEY).items.map(({ key, modRevision }) => remove(key, modRevision));

export function storeLargeContract(name: string, newPlace: () => Promise<StorageBackend>): void {
  describe(`${name}: very many keys at once`, () => {
    let place: StorageBackend;
    let store: Store;
    beforeEach(async () => {
      place = await newPlace();
      store = await place.open();
    });
    afterEach(() => place[Symbol.asyncDispose]());

    const all = () => listed(store);

    test("the last operation refuses all of it", async () => {
      await store.commit([create("/mine", "1")]);
      const plan = () => [createAll(), [create("/other"), create("/mine")]];
      expect(await codeOf(() => store.transform(plan))).toBe("KEY_EXISTS");
      expect([store.revision, all()]).toEqual([2, ["/mine=1@2/2"]]);
      const twice = store.transform(() => [[...createAll(), create(names[0] ?? "")]]);
      await expect(twice).rejects.toThrow("a commit may touch a key only once");
      const empty = store.transform(() => [[...createAll(), create("")]]);
      await expect(empty).rejects.toThrow("a key must not be empty");
      expect(await store.commit([create("/more")])).toBe(3);
    });

    test("what was written, forgotten and written again is there after the store was opened again", async () => {
      await store.transform(() => [createAll()]);
      await store.transform(() => [removeAll(store)], { forgetPast: true });
      await store.transform(() => [createAll(), [create("/mine", "1")]]);
      const before = [all(), store.revision, store.compactedRevision];
      await store[Symbol.asyncDispose]();
      store = await place.open();
      expect([all(), store.revision, store.compactedRevision]).toEqual(before);
      expect(store.list(EVERY_KEY, { at: store.compactedRevision }).items).toEqual([]);
    });
  });
}

/** Store contract for a store with a single writer process. */
export function storeAtomicContract(name: string, newPlace: () => Promise<StorageBackend>): void {
  describe(`${name}: a change of very many keys`, () => {
    let place: StorageBackend;
    let store: Store;
    beforeEach(async () => {
      place = await newPlace();
      store = await place.open();
    });
    afterEach(() => place[Symbol.asyncDispose]());

    const all = () => listed(store);

    /** The states that readers observe from one event-loop turn to the next, each once. */
    async function sights(work: () => Promise<unknown>): Promise<{ seen: string[]; turns: number }> {
      const seen = new Set<string>();
      let working = true;
      setImmediate(function look() {
        const { items, revision } = store.list(EVERY_KEY);
        const newest = Math.max(0, ...items.map(({ modRevision }) => modRevision));
        seen.add(`${revision}: ${items.length} of ${store.count(EVERY_KEY)}, up to ${newest}`);
        if (working) setImmediate(look);
      });
      const { turns } = await countTurns(work);
      working = false;
      return { seen: [...seen], turns };
    }

    test("others have their turn meanwhile, and see all of it or nothing", async () => {
      const { seen, turns } = await sights(() => store.transform(() => [createAll()]));
      expect(turns).toBeGreaterThan(50);
      const [before, after] = ["1: 0 of 0, up to 0", `2: ${MANY} of ${MANY}, up to 2`];
      expect(seen[0]).toBe(before);
      expect([before, after]).toEqual(expect.arrayContaining(seen));
      expect(all()).toEqual(names.map((key) => `${key}=1@2/2`));
      const gone = await sights(() => store.transform(() => [removeAll(store)]));
      expect(gone.seen[0]).toBe(`2: ${MANY} of ${MANY}, up to 2`);
      expect(all()).toEqual([]);
    });

    test("who writes meanwhile is answered afterwards, and a plan that takes its time sees nothing of him", async () => {
      await store.commit([create("/mine", "1")]);
      const order: string[] = [];
      const transformed = store
        .transform(async () => {
          const before = all();
          await new Promise(setImmediate);
          expect(all()).toEqual(before);
          return [[update("/mine", "2", 2), ...createAll()]];
        })
        .then((revision) => order.push(`transformed ${revision}`));
      await new Promise(setImmediate);
      const refused = codeOf(() => store.commit([update("/mine", "3", 2)])).then((code) =>
        order.push(`${code}`),
      );
      const written = store.commit([create("/other")]).then((revision) => order.push(`written ${revision}`));
      await Promise.all([transformed, refused, written]);
      expect(order[0]).toBe("transformed 3");
      expect(order.slice(1).sort()).toEqual(["REVISION_MISMATCH", "written 4"]);
      expect(show(store.get("/mine"))).toBe("/mine=2@2/3");
    });

    test("a watch that was open and all that open meanwhile get one array for each revision", async () => {
      await store.commit([create("/mine", "1")]);
      const opened: { after: number; watch: StoreWatch }[] = [];
      const open = () =>
        opened.push({ after: store.revision, watch: store.watch(EVERY_KEY, { after: store.revision }) });
      open();
      let working = true;
      const transformed = store.transform(async () => {
        await new Promise(setImmediate);
        return [[remove("/mine", 2)], [...createAll(), create("/mine", "2")]];
      });
      setImmediate(function look() {
        if (!working) return;
        open();
        setImmediate(look);
      });
      await transformed;
      working = false;
      const puts = [...names.map((key) => `${key}=1`), "/mine=2"].map((text) => `put ${text}@4/4 (was -)`);
      const owed = ["3: delete /mine at 3 (was /mine=1@2/2)", `4: ${puts.join(", ")}`];
      const early = opened.filter(({ after }) => after < 4);
      expect(early.length).toBeGreaterThan(1);
      const told = await Promise.all(early.map(async ({ watch }) => (await watch.next()) ?? []));
      expect(told[0]?.map(showChange)).toEqual(owed);
      for (const changes of told) expect(changes.every((change, at) => change === told[0]?.[at])).toBe(true);
      expect(early.map(({ after }, at) => after + (told[at]?.length ?? 0))).toEqual(early.map(() => 4));
      const past = store.watch(EVERY_KEY, { after: store.compactedRevision });
      expect(((await past.next()) ?? []).map(showChange).slice(1)).toEqual(owed);
    });

    test("what is issued together is told together", async () => {
      const watch = store.watch(EVERY_KEY, { after: store.revision });
      const waiting = watch.next();
      await Promise.all([store.commit([create("/c")]), store.commit([create("/d")])]);
      expect((await waiting)?.map(showChange)).toEqual(["2: put /c=@2/2 (was -)", "3: put /d=@3/3 (was -)"]);
    });
  });
}
