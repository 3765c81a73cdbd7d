import { beforeEach, describe, expect, test } from "vitest";
import { decodeStored, encodeStored } from "../../../../../src/apiserver/registry/codec/object-codec.ts";
import type { ObjectResult } from "../../../../../src/apiserver/registry/codec/versions.ts";
import {
  commitNew,
  commitObject,
  commitRemoval,
  lostRace,
} from "../../../../../src/apiserver/registry/write/commit.ts";
import { createMemoryEngine } from "../../../../../src/storage/engine.ts";
import { openMvccStore } from "../../../../../src/storage/mvcc/mvcc-store.ts";
import type { KeyValue, Store, TxnOp } from "../../../../../src/storage/store.ts";
import { countTurns } from "../../../../support/count-turns.ts";
import { ManualClock } from "../../../storage/manual-clock.ts";
import { builtInView, contextFor, object } from "../support.ts";

const KEY = "/registry/example.com/things/default/t";
const OPTIONS = { dryRun: false, order: undefined };

const storedBy = (result: ObjectResult): KeyValue => {
  if (result.type !== "stored") throw new Error("it is stored");
  return result.kv;
};

let store: Store;
let live: KeyValue;
beforeEach(async () => {
  store = await openMvccStore(createMemoryEngine(), { clock: new ManualClock() });
  const made = await commitNew({ store }, KEY, object("t", { spec: { n: 1 } }), OPTIONS);
  live = storedBy(made);
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
  // Both are compared as bytes: member by member they would take seconds.
  expect(encodeStored(large, undefined).equals(stored.value)).toBe(true);
  expect(storedBy(done)).toBe(stored);
  expect(storedBy(await commitObject({ store }, stored, large, options))).toBe(stored);
});

test("what was begun before the end is written, and nothing later", async () => {
  const closing = new AbortController();
  const deps = { store, over: closing.signal };
  const early = commitObject(deps, live, object("t", { spec: { n: 2 } }), OPTIONS);
  closing.abort(new Error("closed"));
  const kv = storedBy(await early);
  const revision = store.revision;
  await expect(commitObject(deps, kv, object("t", { spec: { n: 3 } }), OPTIONS)).rejects.toThrow("closed");
  await expect(commitNew(deps, `${KEY}2`, object("t2"), OPTIONS)).rejects.toThrow("closed");
  const view = builtInView("configmaps");
  await expect(commitRemoval(deps, view, kv, decodeStored(kv), contextFor())).rejects.toThrow("closed");
  expect(store.revision).toBe(revision);
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
    const next = (n: number) => object("t", { spec: { n } });
    const kv = storedBy(await commitObject({ store }, live, next(2), OPTIONS));
    const raced: Store = Object.create(store, {
      commit: {
        value: async (ops: readonly TxnOp[]) => {
          const revision = await store.commit(ops);
          const value = encodeStored(next(4), undefined);
          await store.commit([{ type: "update", key: KEY, value, ifModRevision: revision }]);
          return revision;
        },
      },
      get: { value: (...asked: Parameters<Store["get"]>) => store.get(...asked) },
    });
    const written = storedBy(await commitObject({ store: raced }, kv, next(3), OPTIONS));
    expect(decodeStored(written)).toMatchObject({ spec: { n: 3 } });
    expect(store.get(KEY)?.modRevision).toBe(written.modRevision + 1);
  });
});
