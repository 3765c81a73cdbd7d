// LevelDB's files are truncated or changed at random offsets: a store opens with everything that was committed, or with a
// prefix of it, or is rejected. EGRET_FAULT_SEED repeats a run.
import { cp, readdir, readFile, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type Revision, toRevision } from "../../src/apimachinery/meta/revision.ts";
import { checkStore } from "../../src/storage/level/check-store.ts";
import { openLevelEngine } from "../../src/storage/level/level-engine.ts";
import { openMvccStore } from "../../src/storage/mvcc/mvcc-store.ts";
import { prefixRange, type Store } from "../../src/storage/store.ts";
import { codeOf, create, removeFolder, show, temporaryFolder } from "../contract/store-harness.ts";
import { Random } from "../support/random.ts";
import { ManualClock } from "../unit/storage/manual-clock.ts";

const SEED = Number(process.env["EGRET_FAULT_SEED"] ?? Date.now() % 1_000_000);
const TIMES = Number(process.env["EGRET_FAULT_TIMES"] ?? 40);
const all = prefixRange("/");
const LONG = 20_000 + TIMES * 500;

let folder: string;
beforeEach(async () => {
  folder = await temporaryFolder();
});
afterEach(() => removeFolder(folder));

const open = async (at: string): Promise<Store> =>
  openMvccStore(await openLevelEngine(at), { clock: new ManualClock() });

const seen = (store: Store) =>
  JSON.stringify([store.revision, store.compactedRevision, store.list(all).items.map(show)]);

/** A copy that may be damaged, for the duration of `use`. */
async function withCopy<T>(use: (copy: string) => Promise<T>): Promise<T> {
  const copy = await temporaryFolder();
  try {
    await cp(folder, copy, { recursive: true });
    return await use(copy);
  } finally {
    await removeFolder(copy);
  }
}

/** Values that do not repeat one another, so that tables have many blocks. */
const textOf = (random: Random, bytes: number): string =>
  Array.from({ length: bytes }, () => String.fromCharCode(0x20 + random.below(90))).join("");

test(`a log that is cut short holds whole commits, the first ones (seed ${SEED})`, {
  timeout: LONG,
}, async () => {
  const random = new Random(SEED);
  const states = new Map<Revision, string>();
  {
    await using store = await open(folder);
    states.set(store.revision, seen(store));
    for (let number = 0; number < 60; number++) {
      // Some fit many times into a block of the log, some span several.
      const length = random.below(10) === 0 ? 70_000 : 500;
      await store.commit([create(`/a/${number}`, textOf(random, length)), create(`/b/${number}`)]);
      states.set(store.revision, seen(store));
    }
  }
  const [log = ""] = (await readdir(folder)).filter((name) => name.endsWith(".log"));
  const size = (await readFile(join(folder, log))).length;
  const cuts = Array.from({ length: TIMES }, () => random.below(size)).sort((a, b) => a - b);
  let last = toRevision(1);
  for (const cut of cuts) {
    await withCopy(async (copy) => {
      await truncate(join(copy, log), cut);
      await using store = await open(copy);
      expect(seen(store), `cut at ${cut}`).toBe(states.get(store.revision));
      expect(store.revision).toBeGreaterThanOrEqual(last);
      last = store.revision;
      const more = await store.commit([create("/more")]);
      expect(more).toBe(store.revision);
    });
  }
});

test(`a changed bit is found in every file, or changes nothing (seed ${SEED})`, {
  timeout: LONG,
}, async () => {
  const random = new Random(SEED);
  {
    await using store = await open(folder);
    const commits = Array.from({ length: 5000 }, (_, number) =>
      store.commit([create(`/a/${number}`, textOf(random, 1000))]),
    );
    await Promise.all(commits);
    await store.compact(toRevision(store.revision - 100)); // the history of most objects is then compacted
    for (let number = 0; number < 30; number++)
      await store.commit([create(`/b/${number}`, textOf(random, 300))]);
  }
  const complete = await withCopy(async (copy) => {
    await using store = await open(copy);
    return seen(store);
  });
  const files = (await readdir(folder)).filter((name) => /\.(log|ldb)$|^MANIFEST|^CURRENT$/.test(name));
  expect(files.some((name) => name.endsWith(".ldb"))).toBe(true);
  for (let time = 0; time < TIMES; time++) {
    const name = files[time % files.length] ?? "";
    await withCopy(async (copy) => {
      const bytes = await readFile(join(copy, name));
      const at = random.below(bytes.length);
      bytes[at] = (bytes[at] ?? 0) ^ (1 << random.below(8));
      await writeFile(join(copy, name), bytes);
      const state = await open(copy).then(
        async (store) => {
          await using opened = store;
          return seen(opened);
        },
        (error: { code: string }) => error.code,
      );
      const refused = /^(UNREADABLE|FORMAT_VERSION)$/.test(state);
      expect(refused || state === complete, `${name}, byte ${at}: ${state.slice(0, 60)}`).toBe(true);
      if (refused) expect(await codeOf(() => checkStore(copy))).toBe(state);
    });
  }
});

test("a log in which a middle record is damaged is refused by its name and place", async () => {
  {
    await using store = await open(folder);
    for (let number = 0; number < 3; number++) await store.commit([create(`/a/${number}`, "x".repeat(500))]);
  }
  const [log = ""] = (await readdir(folder)).filter((name) => name.endsWith(".log"));
  const bytes = await readFile(join(folder, log));
  bytes.write("y", bytes.indexOf("xxxx"));
  await writeFile(join(folder, log), bytes);
  await expect(open(folder)).rejects.toThrow(new RegExp(`record at byte \\d+ of ${log} cannot be read`));
});

test("a log whose end was never filled in lacks nothing that was answered", async () => {
  {
    await using store = await open(folder);
    await store.commit([create("/a", "1")]);
  }
  const [log = ""] = (await readdir(folder)).filter((name) => name.endsWith(".log"));
  const bytes = await readFile(join(folder, log));
  await writeFile(join(folder, log), Buffer.concat([bytes, Buffer.alloc(5000)]));
  await using store = await open(folder);
  expect(store.list(all).items.map(show)).toEqual(["/a=1@2/2"]);
});

test("a folder without its log is refused", async () => {
  {
    await using store = await open(folder);
    await store.commit([create("/a", "1")]);
  }
  for (const name of await readdir(folder)) if (name.endsWith(".log")) await removeFolder(join(folder, name));
  await expect(open(folder)).rejects.toThrow("its log is missing");
});
