import { beforeEach, describe, expect, test } from "vitest";
import { decodeStored, encodeStored } from "../../../../src/registry/codec/object-codec.ts";
import { commitObject, commitOne, lostRace, readBack } from "../../../../src/registry/write/commit.ts";
import { createMemoryEngine } from "../../../../src/storage/memory-engine.ts";
import { openMvccStore } from "../../../../src/storage/mvcc/mvcc-store.ts";
import type { KeyValue, Store } from "../../../../src/storage/store.ts";
import { countTurns } from "../../../support/count-turns.ts";
import { ManualClock } from "../../storage/manual-clock.ts";
import { object } from "../support.ts";

const KEY = "/registry/example.com/things/default/t";
const OPTIONS = { dryRun: false, order: undefined };

let store: Store;
let live: KeyValue;
beforeEach(async () => {
  store = await openMvccStore(createMemoryEngine(), { clock: new ManualClock() });
  const value = encodeStored(object("t", { spec: { n: 1 } }), undefined);
  live = readBack(store, KEY, await commitOne(store, { type: "create", key: KEY, value }));
});

test("a change is a new revision", async () => {
  const before = store.revision;
  const result = await commitObject({ store }, live, object("t", { spec: { n: 2 } }), OPTIONS);
  expect(store.revision).toBe(before + 1);
  expect(result).toMatchObject({
    type: "stored",
    kv: { modRevision: store.revision, createRevision: live.createRevision },
  });
  expect(decodeStored(store.get(KEY) ?? live)).toMatchObject({ spec: { n: 2 } });
});

test("a change of nothing is no revision", async () => {
  const before = store.revision;
  const same = object("t", { spec: { n: 1 } }, { resourceVersion: "99" });
  expect(await commitObject({ store }, live, same, OPTIONS)).toEqual({ type: "stored", kv: live });
  expect(store.revision).toBe(before);
});

test("a dry run stores nothing and answers with the live revision", async () => {
  const before = store.revision;
  const result = await commitObject({ store }, live, object("t", { spec: { n: 2 } }), {
    ...OPTIONS,
    dryRun: true,
  });
  expect(result).toMatchObject({
    type: "bare",
    object: { spec: { n: 2 }, metadata: { resourceVersion: String(live.modRevision) } },
  });
  expect(store.revision).toBe(before);
});

test("a large change is stored as any other, in turns", async () => {
  const large = object("t", { spec: { list: Array.from({ length: 50_000 }, (_, n) => ({ n })) } });
  const options = { ...OPTIONS, isLarge: true };
  const { turns, done } = await countTurns(() => commitObject({ store }, live, large, options));
  expect(turns).toBeGreaterThan(10);
  const stored = store.get(KEY) ?? live;
  expect(Buffer.from(stored.value)).toEqual(encodeStored(large, undefined));
  expect(done).toEqual({ type: "stored", kv: stored });
  expect(await commitObject({ store }, stored, large, options)).toEqual({ type: "stored", kv: stored });
});

describe("a race", () => {
  test("that was lost is told from all else", async () => {
    await commitObject({ store }, live, object("t", { spec: { n: 2 } }), OPTIONS);
    const late = commitObject({ store }, live, object("t", { spec: { n: 3 } }), OPTIONS);
    const error: unknown = await late.catch((thrown: unknown) => thrown);
    expect(lostRace(error)).toBe(true);
    expect(lostRace(new Error("other"))).toBe(false);
  });

  test("with a later write does not hide what was just written", async () => {
    const first = commitObject({ store }, live, object("t", { spec: { n: 2 } }), OPTIONS);
    const result = await first;
    const [kv] = result.type === "stored" ? [result.kv] : [live];
    await commitObject({ store }, kv, object("t", { spec: { n: 3 } }), OPTIONS);
    expect(readBack(store, KEY, kv.modRevision)).toBe(kv);
    expect(() => readBack(store, `${KEY}2`, kv.modRevision)).toThrow("is not there at the revision");
  });
});
