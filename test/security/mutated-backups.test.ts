// Tampered backups with a matching checksum: a restore rejects them in one line or creates a store that opens.
import { crc32 } from "node:zlib";
import { expect, test } from "vitest";
import { systemClock } from "../../src/apimachinery/meta/clock.ts";
import { encodeStored } from "../../src/apiserver/registry/codec/object-codec.ts";
import { DEFAULT_OPTIONS } from "../../src/server/options/options.ts";
import { storedScreen } from "../../src/server/stored-screen.ts";
import { backupLines, restoreLines } from "../../src/storage/backup.ts";
import { createMemoryEngine } from "../../src/storage/engine.ts";
import { openMvccStore } from "../../src/storage/mvcc/mvcc-store.ts";
import { fillStore, replaceState } from "../../src/storage/restore-state.ts";
import { EVERY_KEY, type Store, StoreError } from "../../src/storage/store.ts";
import { Random } from "../support/random.ts";

const MUTATIONS = 500;
const SEED = 7;
const screen = storedScreen(DEFAULT_OPTIONS);

const memory = () => openMvccStore(createMemoryEngine(), { clock: systemClock, screen });
const keyOf = (name: string) => `/registry/configmaps/default/${name}`;
const bytesOf = (name: string, text: string) => {
  const metadata = { name, namespace: "default", uid: name };
  return encodeStored({ apiVersion: "v1", kind: "ConfigMap", metadata, data: { text } }, undefined);
};

async function backup(): Promise<string[]> {
  await using store = await memory();
  for (const name of ["a", "b", "c"])
    await store.commit([{ type: "create", key: keyOf(name), value: bytesOf(name, "1") }]);
  for (const name of ["a", "b"]) {
    const { modRevision: ifModRevision = store.revision } = store.get(keyOf(name)) ?? {};
    await store.commit([{ type: "update", key: keyOf(name), value: bytesOf(name, "2"), ifModRevision }]);
  }
  const { modRevision: ifModRevision = store.revision } = store.get(keyOf("c")) ?? {};
  await store.commit([{ type: "delete", key: keyOf("c"), ifModRevision }]);
  const lines: string[] = [];
  for await (const line of backupLines(store)) lines.push(line.trimEnd());
  return lines;
}

const VALUES: readonly unknown[] = [
  ...[null, -1, 0, 1, 2, 1.5, 1e300, "", "x", "AAAA", "!", [], {}, true, [[]], { key: 1 }],
  ...["/registry/../x", "/registry/configmaps/default/..", "/registry/configmaps/default/a", "/egret/x"],
  ...["\u0000", "/registry/configmaps/default/a\u0000", bytesOf("z", "1").toString("base64")],
];

/** Replaces, removes or adds one member somewhere in a value, in place. */
function mutate(value: unknown, random: Random): void {
  const places: [Record<string, unknown>, string][] = [];
  const walk = (at: unknown): void => {
    if (typeof at !== "object" || at === null) return;
    const holder = at as Record<string, unknown>;
    for (const key of Object.keys(holder)) {
      places.push([holder, key]);
      walk(holder[key]);
    }
  };
  walk(value);
  const [holder, key] = random.one(places);
  if (random.below(5) === 0) delete holder[key];
  else holder[key] = random.one(VALUES);
}

function sealed(lines: readonly string[]): string[] {
  let checksum = 0;
  for (const line of lines) checksum = crc32(`${line}\n`, checksum);
  return [...lines, JSON.stringify({ end: true, changes: lines.length - 1, crc32: checksum })];
}

function mutated(lines: readonly string[], random: Random): string[] {
  const kept = lines.slice(0, -1);
  const at = random.below(kept.length);
  const kind = random.below(4);
  if (kind === 0) kept.splice(at, 1);
  else if (kind === 1) kept.splice(at, 0, random.one(kept));
  else {
    const line: unknown = JSON.parse(kept[at] ?? "");
    mutate(line, random);
    kept[at] = JSON.stringify(line);
  }
  return sealed(kept);
}

async function* each(lines: readonly string[]): AsyncGenerator<string> {
  yield* lines;
}

/** Undefined: the restore rejected an incomplete or invalid backup. */
async function orRefused(work: () => Promise<Store>): Promise<Store | undefined> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    expect(error.code).toBe("UNREADABLE");
    expect(error.message).not.toContain("\n");
    return undefined;
  }
}

test(`${MUTATIONS} mutated backups are refused, or become a store in which everything can be read`, async () => {
  const lines = await backup();
  const random = new Random(SEED);
  let [refused, taken] = [0, 0];
  for (let round = 0; round < MUTATIONS; round++) {
    const text = mutated(lines, random);
    const source = { name: "the file", lines: () => each(text), screen };
    const ways = [
      async () => {
        const engine = { ...createMemoryEngine(), close: async () => {} };
        await restoreLines(each(text), engine, "the file", screen);
        return await openMvccStore(engine, { clock: systemClock, screen });
      },
      async () => {
        const store = await memory();
        await fillStore(source, store);
        return store;
      },
      async () => {
        const store = await memory();
        await store.commit([{ type: "create", key: keyOf("a"), value: Buffer.from("broken") }]);
        await replaceState(source, store);
        return store;
      },
    ];
    for (const way of ways) {
      const store = await orRefused(way);
      if (store === undefined) refused++;
      else {
        taken++;
        expect(store.unreadable.size).toBe(0);
        for (const kv of store.list(EVERY_KEY).items) expect(screen(kv, true)).toBeUndefined();
        await store[Symbol.asyncDispose]();
      }
    }
  }
  expect(refused).toBeGreaterThan(MUTATIONS);
  expect(taken).toBeGreaterThan(0);
});
