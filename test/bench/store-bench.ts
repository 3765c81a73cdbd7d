// The cost of the store, compared with the raw database in the same run: node --import tsx test/bench/store-bench.ts
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Level } from "level";
import { systemClock } from "../../src/apimachinery/meta/clock.ts";
import { createMemoryEngine } from "../../src/storage/engine.ts";
import { openLevelEngine } from "../../src/storage/level/level-engine.ts";
import { openMvccStore } from "../../src/storage/mvcc/mvcc-store.ts";
import { prefixRange, type Store } from "../../src/storage/store.ts";

const RUN_MS = Number(process.env["BENCH_MS"] ?? 1500);
const ROUNDS = 3;
const VALUE = Buffer.alloc(1000, "x");

await commitRates();
await sizes();
await listing();
await dispatch();
await loading();

/** Raw database and store alternately, so that a busy disk affects both; prints the medians. */
async function commitRates(): Promise<void> {
  for (const writers of [1, 16]) {
    const raw: number[] = [];
    const ours: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      raw.push(await withFolder((folder) => rawRate(folder, writers)));
      ours.push(await withFolder((folder) => storeRate(folder, writers)));
    }
    const share = Math.round((100 * median(ours)) / median(raw));
    print(`commits/s, ${writers} writers`, `raw ${median(raw)}, store ${median(ours)} (${share} % of raw)`);
  }
}

async function rawRate(folder: string, writers: number): Promise<number> {
  const db = new Level<Buffer, Buffer>(folder, {
    keyEncoding: "buffer",
    valueEncoding: "buffer",
  });
  await db.open();
  let number = 0;
  const rate = await rateOf(writers, () => {
    const key = Buffer.from(`/registry/configmaps/bench/object-${number++}`);
    return db.batch([{ type: "put", key, value: VALUE }], { sync: true });
  });
  await db.close();
  return rate;
}

async function storeRate(folder: string, writers: number): Promise<number> {
  await using store = await openMvccStore(await openLevelEngine(folder), {
    clock: systemClock,
  });
  return await rateOf(writers, (number) => create(store, `object-${number}`));
}

async function rateOf(writers: number, write: (number: number) => Promise<unknown>): Promise<number> {
  const start = performance.now();
  let count = 0;
  const writer = async () => {
    while (performance.now() - start < RUN_MS) await write(count++);
  };
  await Promise.all(Array.from({ length: writers }, writer));
  return Math.round((1000 * count) / (performance.now() - start));
}

/** Costs per operation must stay flat as the store grows. */
async function sizes(): Promise<void> {
  for (const keys of [1000, 10_000, 100_000]) {
    const history = { revisionsMax: Number.POSITIVE_INFINITY }; // compaction is measured separately
    await using store = await openMvccStore(createMemoryEngine(), {
      clock: systemClock,
      history,
    });
    await fill(store, keys);
    const range = prefixRange("/registry/configmaps/bench/object-0");
    const update = await timeEach(2000, async (turn) => {
      const kv = store.get(name(`object-${(turn * 7919) % keys}`));
      if (kv === undefined) return;
      const { key, modRevision } = kv;
      await store.commit([{ type: "update", key, value: VALUE, ifModRevision: modRevision }]);
    });
    const insert = await timeEach(2000, (turn) => create(store, `another-${(turn * 7919) % 2003}`));
    const count = await timeEach(2000, async () => store.count(prefixRange("/registry/configmaps/")));
    const page = await timeEach(2000, async () => store.list(range, { limit: 10 }));
    const compact = await timeEach(1, () => store.compact(store.revision));
    const forget = Math.round((10 * compact) / store.revision) / 10;
    const each = `update ${update}, create ${insert}, count ${count}, list 10 ${page}, forget ${forget}`;
    print(`${keys} keys, µs`, each);
  }
}

async function listing(): Promise<void> {
  await using store = await openMvccStore(createMemoryEngine(), {
    clock: systemClock,
  });
  await fill(store, 10_000);
  const then = store.revision;
  for (let number = 0; number < 5000; number++) void create(store, `later-${number}`);
  await create(store, "last");
  const range = prefixRange("/registry/configmaps/");
  const now = await timeEach(200, async () => store.list(range));
  const past = await timeEach(200, async () => store.list(range, { at: then }));
  print("list of 10 000 keys, µs", `now ${now}, as of 5 000 revisions ago ${past}`);
}

async function dispatch(): Promise<void> {
  for (const [what, rangeOf] of [
    ["one range", () => prefixRange("/registry/configmaps/")],
    ["a range each, one hit", (index: number) => prefixRange(`/registry/configmaps/${index || "bench"}/`)],
    ["none hit", (index: number) => prefixRange(`/registry/pods/ns-${index}/`)],
  ] as const) {
    await using store = await openMvccStore(createMemoryEngine(), {
      clock: systemClock,
    });
    let seen = 0;
    const watches = Array.from({ length: 1000 }, (_, index) =>
      store.watch(rangeOf(index), { after: store.revision }),
    );
    const readers = watches.map(async (watch) => {
      for (let changes = await watch.next(); changes !== undefined; changes = await watch.next()) {
        seen += changes.length;
      }
    });
    const perCommit = await timeEach(1000, (turn) => create(store, `object-${turn}`));
    for (const watch of watches) watch.close();
    await Promise.all(readers);
    print(`1000 watchers, ${what}`, `${perCommit} µs per commit, ${seen} deliveries`);
  }
}

async function loading(): Promise<void> {
  await withFolder(async (folder) => {
    {
      await using store = await openMvccStore(await openLevelEngine(folder), {
        clock: systemClock,
      });
      await fill(store, 100_000);
    }
    const start = performance.now();
    await using store = await openMvccStore(await openLevelEngine(folder), {
      clock: systemClock,
    });
    const ms = Math.round(performance.now() - start);
    const rss = Math.round(process.memoryUsage.rss() / 2 ** 20);
    print("open 100 000 keys of 1 kB", `${ms} ms at revision ${store.revision}, process ${rss} MB`);
  });
}

async function fill(store: Store, keys: number): Promise<void> {
  const commits: Promise<unknown>[] = [];
  // The values are copies, like those of requests.
  for (let number = 0; number < keys; number++) {
    commits.push(
      store.commit([
        {
          type: "create",
          key: name(`object-${number}`),
          value: Buffer.from(VALUE),
        },
      ]),
    );
    if (commits.length === 1000) await Promise.all(commits.splice(0));
  }
  await Promise.all(commits);
}

function create(store: Store, object: string): Promise<unknown> {
  return store.commit([{ type: "create", key: name(object), value: VALUE }]);
}

function name(object: string): string {
  return `/registry/configmaps/bench/${object}`;
}

async function timeEach(turns: number, run: (turn: number) => Promise<unknown>): Promise<number> {
  const start = performance.now();
  for (let turn = 0; turn < turns; turn++) await run(turn);
  return Math.round((10_000 * (performance.now() - start)) / turns) / 10;
}

async function withFolder<T>(run: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), "egret-bench-"));
  try {
    return await run(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[values.length >> 1] ?? 0;
}

function print(what: string, result: string): void {
  process.stdout.write(`${what.padEnd(40)}${result}\n`);
}
