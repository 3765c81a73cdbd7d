// Values that cannot be decoded: after any writes, compactions and restarts, readable values are served. The store keeps
// the others with their bytes, their keys stay in use, and a delete at its revision removes one.
import fc from "fast-check";
import { expect, test } from "vitest";
import { createMemoryEngine } from "../../src/storage/engine.ts";
import { openMvccStore } from "../../src/storage/mvcc/mvcc-store.ts";
import { EVERY_KEY, type Store, type TxnOp } from "../../src/storage/store.ts";
import type { Screen } from "../../src/storage/unreadable.ts";
import { ManualClock } from "../unit/storage/manual-clock.ts";

const KEYS = ["/a", "/b", "/c"];
const screen: Screen = ({ value }) => (value[0] === 0x21 ? "begins with an exclamation mark" : undefined);

type Step =
  | { readonly type: "put"; readonly key: string; readonly text: string }
  | { readonly type: "delete"; readonly key: string }
  | { readonly type: "compact" }
  | { readonly type: "reopen"; readonly screened: boolean };

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      type: fc.constant("put" as const),
      key: fc.constantFrom(...KEYS),
      text: fc.constantFrom("1", "2", "!1", "!2"),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ type: fc.constant("delete" as const), key: fc.constantFrom(...KEYS) }),
  },
  { weight: 1, arbitrary: fc.constant({ type: "compact" as const }) },
  { weight: 3, arbitrary: fc.record({ type: fc.constant("reopen" as const), screened: fc.boolean() }) },
);

/** Unreadable values that were replaced before a start must not reappear when their replacements are compacted. */
const REPLACED: [Step[]][] = [["!1"], ["!1", "!2"]].map((texts) => [
  [
    ...[...texts, "1"].map((text) => ({ type: "put" as const, key: "/b", text })),
    { type: "reopen", screened: true },
    { type: "delete", key: "/b" },
    { type: "compact" },
  ],
]);

test("are held, and nothing of them or of others is lost", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
      const engine = { ...createMemoryEngine(), close: async () => {} };
      const clock = new ManualClock();
      const model = new Map<string, string>();
      let isScreened = false;
      let store = await openMvccStore(engine, { clock });
      for (const one of [...steps, { type: "reopen", screened: true } as const]) {
        if (one.type === "put") await write(store, one.key, one.text, model);
        else if (one.type === "delete") await remove(store, one.key, model);
        else if (one.type === "compact") await store.compact(store.revision);
        else {
          await store[Symbol.asyncDispose]();
          isScreened = one.screened;
          store = await openMvccStore(engine, { clock, ...(isScreened ? { screen } : {}) });
        }
        if (one.type === "reopen") await expectHeld(store, model, isScreened);
      }
      for (const { key } of store.unreadable.all()) await remove(store, key, model);
      expect(store.unreadable.size).toBe(0);
      await store[Symbol.asyncDispose]();
      await expectHeld(await openMvccStore(engine, { clock, screen }), model, true);
    }),
    { numRuns: 300, examples: REPLACED },
  );
});

const held = (store: Store, key: string) => store.get(key) ?? store.unreadable.get(key)?.kv;

/** A create of an existing key is rejected, whether the value is readable or not. */
async function write(store: Store, key: string, text: string, model: Map<string, string>): Promise<void> {
  const value = Buffer.from(text);
  const present = held(store, key);
  const op: TxnOp =
    present === undefined
      ? { type: "create", key, value }
      : { type: "update", key, value, ifModRevision: present.modRevision };
  if (present !== undefined)
    await expect(store.commit([{ type: "create", key, value }])).rejects.toMatchObject({
      code: "KEY_EXISTS",
    });
  await store.commit([op]);
  model.set(key, text);
}

async function remove(store: Store, key: string, model: Map<string, string>): Promise<void> {
  const present = held(store, key);
  if (present === undefined) return;
  await store.commit([{ type: "delete", key, ifModRevision: present.modRevision }]);
  model.delete(key);
}

async function expectHeld(
  store: Store,
  model: ReadonlyMap<string, string>,
  isScreened: boolean,
): Promise<void> {
  const isShown = (text: string) => !isScreened || !text.startsWith("!");
  const wanted = [...model].sort(([a], [b]) => (a < b ? -1 : 1));
  expect(store.list(EVERY_KEY).items.map(({ key, value }) => [key, Buffer.from(value).toString()])).toEqual(
    wanted.filter(([, text]) => isShown(text)),
  );
  const unreadable = store.unreadable.all();
  const bytes = await Promise.all(unreadable.map(({ key }) => store.bytesOfUnreadable(key)));
  expect(unreadable.map(({ key }, index) => [key, Buffer.from(bytes[index] ?? []).toString()])).toEqual(
    wanted.filter(([, text]) => !isShown(text)),
  );
}
