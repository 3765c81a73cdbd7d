import { describe, expect, test } from "vitest";
import { toRevision } from "../../../../src/apimachinery/meta/revision.ts";
import {
  createMemoryEngine,
  type Engine,
  type EngineBatch,
  type StoreFailpoint,
} from "../../../../src/storage/engine.ts";
import { openMvccStore } from "../../../../src/storage/mvcc/mvcc-store.ts";
import { prefixRange, type Store } from "../../../../src/storage/store.ts";
import { create, remove, update } from "../../../contract/store-harness.ts";
import { ManualClock } from "../manual-clock.ts";

/** A memory engine that records its batches, and holds each write until the test finishes it. */
function slowEngine(): { engine: Engine; batches: EngineBatch[]; finishWrite(): Promise<void> } {
  const memory = createMemoryEngine();
  const batches: EngineBatch[] = [];
  const held: (() => void)[] = [];
  const engine: Engine = {
    ...memory,
    async write(batch) {
      batches.push(batch);
      await new Promise<void>((resolve) => held.push(resolve));
      await memory.write(batch);
    },
  };
  const finishWrite = async () => {
    held.shift()?.();
    await severalTurns(); // everything that follows from it has run then
  };
  return { engine, batches, finishWrite };
}

/** Everything that goes on by itself has run then, also what has let others have their turn first. */
async function severalTurns(): Promise<void> {
  for (let turn = 0; turn < 4; turn++) await new Promise(setImmediate);
}

const sizes = (batches: readonly EngineBatch[]) => batches.map(({ changes }) => changes.length);
const all = prefixRange("/");

async function open(engine: Engine): Promise<Store> {
  return await openMvccStore(engine, { clock: new ManualClock() });
}

describe("the group writer", () => {
  test("commits that start in one tick share a batch; those that come while it is written share the next", async () => {
    const { engine, batches, finishWrite } = slowEngine();
    const store = await open(engine);
    for (const key of ["/a", "/b"]) void store.commit([create(key)]);
    await severalTurns();
    for (const key of ["/c", "/d", "/e"]) void store.commit([create(key)]);
    await severalTurns();
    expect(sizes(batches)).toEqual([2]);
    await finishWrite();
    expect(sizes(batches)).toEqual([2, 3]);
    expect(store.revision).toBe(3);
    await finishWrite();
    expect(store.revision).toBe(6);
  });

  test("writers that were answered together go on together", async () => {
    const { engine, batches, finishWrite } = slowEngine();
    const store = await open(engine);
    const writer = async (name: string) => {
      for (let number = 0; number < 3; number++) {
        await store.commit([create(`/${name}/${number}`)]);
        await Promise.resolve().then(() => undefined); // the way back to a caller has a few steps
      }
    };
    const writers = ["a", "b", "c", "d"].map(writer);
    for (let turn = 0; turn < 4; turn++) await finishWrite();
    await Promise.all(writers);
    expect(sizes(batches)).toEqual([4, 4, 4]);
  });

  test("nothing of a batch shows before it is written, then all of it does", async () => {
    const { engine, finishWrite } = slowEngine();
    const store = await open(engine);
    const watch = store.watch(all, { after: store.revision });
    const told: number[] = [];
    void watch.next().then((changes) => told.push(...(changes ?? []).map(({ revision }) => revision)));
    for (const key of ["/a", "/b"]) void store.commit([create(key)]);
    await severalTurns();
    expect([store.revision, store.count(all), told]).toEqual([1, 0, []]);
    await finishWrite();
    expect([store.revision, store.count(all), told]).toEqual([3, 2, [2, 3]]);
  });

  test("closing waits for the batch that is being written", async () => {
    const { engine, finishWrite } = slowEngine();
    const store = await open(engine);
    const done: string[] = [];
    void store.commit([create("/a")]).then(() => done.push("committed"));
    await severalTurns();
    const closing = store[Symbol.asyncDispose]().then(() => done.push("closed"));
    await severalTurns();
    expect(done).toEqual([]);
    await finishWrite();
    await closing;
    expect(done).toEqual(["committed", "closed"]);
  });

  test("a group of refused commits only writes nothing", async () => {
    const { engine, batches } = slowEngine();
    const store = await open(engine);
    await expect(store.commit([update("/a", "x", 5)])).rejects.toThrow("/a is not there");
    expect(batches).toEqual([]);
  });

  test("a batch is bounded, and a commit that is larger than the bound goes alone", async () => {
    const { engine, batches, finishWrite } = slowEngine();
    const store = await open(engine);
    const many = (name: string, count: number) =>
      store.commit(Array.from({ length: count }, (_, index) => create(`/${name}/${index}`)));
    for (const [name, count] of Object.entries({ a: 1000, b: 30, c: 2000, d: 1 })) void many(name, count);
    for (let turn = 0; turn < 5; turn++) await finishWrite();
    expect(batches.map(({ changes }) => changes.map(({ events }) => events.length))).toEqual([
      [1000],
      [30],
      [2000],
      [1],
    ]);
  });

  test("a batch stops growing beyond 4 MiB, and a deletion weighs nothing", async () => {
    const { engine, batches, finishWrite } = slowEngine();
    const store = await open(engine);
    const large = "x".repeat(1.5 * 1024 * 1024);
    for (const key of ["/a", "/b", "/c"]) void store.commit([create(key, large)]);
    for (let turn = 0; turn < 3; turn++) await finishWrite();
    expect(sizes(batches)).toEqual([2, 1]);
    for (const [at, key] of ["/a", "/b", "/c"].entries()) void store.commit([remove(key, 2 + at)]);
    await severalTurns();
    expect(sizes(batches)).toEqual([2, 1, 3]);
  });

  test("it is busy until everybody is answered", async () => {
    const { engine, finishWrite } = slowEngine();
    const store = await open(engine);
    expect(store.busy).toBe(false);
    const first = store.commit([create("/a")]);
    expect(store.busy).toBe(true);
    await severalTurns();
    void store.commit([create("/b")]);
    await finishWrite();
    expect([await first, store.busy]).toEqual([2, true]);
    await finishWrite();
    expect([store.revision, store.busy]).toEqual([3, false]);
  });

  test("compaction deletes exactly what no readable state needs", async () => {
    const engine = createMemoryEngine();
    const store = await open(engine);
    await store.commit([create("/a"), create("/b")]); // 2
    await store.commit([update("/a", "2", 2)]); // 3
    await store.commit([remove("/b", 2)]); // 4
    await store.commit([update("/a", "3", 3)]); // 5
    await store.compact(toRevision(4));
    const names = [];
    for await (const page of (await engine.load()).records) {
      names.push(...page.map(({ key, revision }) => `${key}@${revision}`));
    }
    expect(names).toEqual(["/a@3", "/a@5"]);
  });
});

describe("after a write that failed", () => {
  const failing = (): Engine => ({
    ...createMemoryEngine(),
    write: () => Promise.reject(new Error("the disk is gone")),
  });

  test("it is told with its cause, whatever that is", async () => {
    for (const [cause, reason] of [
      [new Error("no room"), "no room"],
      ["no disk", "no disk"],
    ]) {
      const store = await open({ ...createMemoryEngine(), write: () => Promise.reject(cause) });
      await expect(store.commit([create("/a")])).rejects.toMatchObject({
        code: "UNREADABLE",
        message: `memory could not be written (${reason}): nothing more is accepted until the store is opened again`,
        cause,
      });
    }
  });

  test("the engine is not left at work when a hook fails meanwhile", async () => {
    const { engine, finishWrite } = slowEngine();
    const failpoints = (point: StoreFailpoint) => {
      if (point === "duringWrite") throw new Error("hook");
    };
    const store = await openMvccStore(engine, { clock: new ManualClock(), failpoints });
    let answered = false;
    const refused = expect(store.commit([create("/a")])).rejects.toThrow("(hook)");
    void refused.then(() => {
      answered = true;
    });
    await severalTurns();
    expect(answered).toBe(false);
    await finishWrite();
    await refused;
  });

  test.each<[string, (store: Store) => Promise<unknown>]>([
    ["a commit", (store) => store.commit([create("/a")])],
    ["a transformation", (store) => store.transform(() => [[create("/a")]])],
  ])("of %s nothing is there, and nothing is written any more", async (_what, write) => {
    const store = await open(failing());
    await expect(write(store)).rejects.toThrow("the disk is gone");
    const failure = await store.failed;
    expect(store.get("/a")).toBeUndefined();
    await expect(store.commit([create("/b")])).rejects.toBe(failure);
    await expect(store.transform(() => [])).rejects.toBe(failure);
  });
});

test.each<[StoreFailpoint, number]>([
  ["beforeWrite", 0],
  ["duringWrite", 1],
  ["beforePublish", 1],
])("a hook %s holds the write there", async (point, given) => {
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const steps: string[] = [];
  const { engine, batches, finishWrite } = slowEngine();
  const store = await openMvccStore(engine, {
    clock: new ManualClock(),
    failpoints: (step) => {
      steps.push(step);
      return step === point ? held : undefined;
    },
  });
  const done = store.commit([create("/a")]);
  await severalTurns();
  expect(batches).toHaveLength(given);
  await finishWrite();
  expect([store.revision, steps.at(-1)]).toEqual([1, point]);
  release();
  await severalTurns();
  await finishWrite();
  await expect(done).resolves.toBe(2);
  expect(steps).toEqual(["beforeWrite", "duringWrite", "beforePublish", "beforeAnswer"]);
});
