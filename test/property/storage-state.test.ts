// Properties of the state: after any commits, compactions and restarts, every readable revision equals the model's.
import fc from "fast-check";
import { expect, test } from "vitest";
import { toRevision } from "../../src/apimachinery/meta/revision.ts";
import type { Store } from "../../src/storage/store.ts";
import { codeOf, levelPlace, memoryPlace, type StorageBackend, show } from "../contract/store-harness.ts";
import { type Intent, intents, KEYS, RANGES, StoreModel } from "./storage-model.ts";

type Action =
  | { readonly type: "commit"; readonly intents: readonly Intent[] }
  | { readonly type: "together"; readonly commits: readonly (readonly Intent[])[] }
  | { readonly type: "compact"; readonly share: number }
  | { readonly type: "reopen" };

const commit: fc.Arbitrary<Action> = fc.record({ type: fc.constant("commit" as const), intents });

const action: fc.Arbitrary<Action> = fc.oneof(
  { weight: 12, arbitrary: commit },
  {
    weight: 4,
    arbitrary: fc.record({
      type: fc.constant("together" as const),
      commits: fc.array(intents, { minLength: 2, maxLength: 5 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constant("compact" as const),
      share: fc.double({ min: 0, max: 1, noNaN: true }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ type: fc.constant("reopen" as const) }) },
);

test.each([
  ["memory", memoryPlace, 60],
  ["level", levelPlace, 15],
] as const)(
  "%s: every kept revision reads as it was, through compaction and reopening",
  async (_, newPlace, numRuns) => {
    await fc.assert(
      fc.asyncProperty(fc.array(action, { minLength: 5, maxLength: 40 }), async (actions) => {
        await using place = await newPlace();
        await run(place, actions);
      }),
      { numRuns },
    );
  },
);

async function run(place: StorageBackend, actions: readonly Action[]): Promise<void> {
  const model = new StoreModel();
  let store = await place.open();
  for (const action of actions) {
    if (action.type === "reopen") {
      await store[Symbol.asyncDispose]();
      store = await place.open();
    } else if (action.type === "compact") {
      const before = Math.max(Math.ceil(model.revision * action.share), 1);
      await store.compact(toRevision(before));
      model.compacted = Math.max(model.compacted, before);
    } else {
      await commitAll(store, model, action.type === "commit" ? [action.intents] : action.commits);
    }
  }
  await checkStates(store, model);
}

async function commitAll(
  store: Store,
  model: StoreModel,
  all: readonly (readonly Intent[])[],
): Promise<void> {
  // All commits are issued before any is answered, so that they are in flight at once.
  const pairs = all.map((intents) => {
    const ops = model.ops(intents);
    return { expected: model.commit(ops), answer: store.commit(ops) };
  });
  const answers = await Promise.allSettled(pairs.map(({ answer }) => answer));
  const shown = answers.map((one) => (one.status === "fulfilled" ? one.value : one.reason.code));
  expect(shown).toEqual(pairs.map(({ expected }) => expected));
}

async function checkStates(store: Store, model: StoreModel): Promise<void> {
  expect([store.revision, store.compactedRevision]).toEqual([model.revision, model.compacted]);
  for (let revision = model.compacted; revision <= model.revision; revision++) {
    const at = toRevision(revision);
    for (const range of RANGES) {
      const expected = model.list(range, revision);
      expect(store.list(range, { at }).items.map(show)).toEqual(expected);
      for (const limit of [0, 1, 2]) {
        const page = store.list(range, { at, limit });
        expect(page.items.map(show)).toEqual(expected.slice(0, limit));
        expect(page.remaining).toBe(Math.max(expected.length - limit, 0));
      }
      if (revision === model.revision) expect(store.count(range)).toBe(expected.length);
    }
    for (const key of KEYS) {
      expect(show(store.get(key, at))).toBe(model.list({ from: key, to: `${key}\0` }, revision)[0] ?? "-");
    }
  }
  expect(await codeOf(() => store.get("/a", toRevision(model.compacted - 1)))).toBe("COMPACTED");
}
