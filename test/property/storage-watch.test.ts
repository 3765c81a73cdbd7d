// Properties of watches, with etcd's names for them. A script commits, opens watches while commits are in flight, reads
// from them now and then, and compacts. In the end every watch must have delivered exactly the model's events.
import fc from "fast-check";
import { expect, test } from "vitest";
import { toRevision } from "../../src/apimachinery/meta/revision.ts";
import {
  eventKey,
  type KeyRange,
  type Store,
  type StoreChange,
  type StoreWatch,
} from "../../src/storage/store.ts";
import { memoryPlace, show, showChange } from "../contract/store-harness.ts";
import { type Intent, intents, RANGES, StoreModel } from "./storage-model.ts";

type Step =
  | { readonly type: "commit"; readonly intents: readonly Intent[]; readonly wait: boolean }
  | { readonly type: "open"; readonly range: KeyRange; readonly back: number }
  | { readonly type: "read" | "resume"; readonly watch: number }
  | { readonly type: "compact"; readonly back: number };

const watchNumber = fc.integer({ min: 0, max: 7 });
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 10, arbitrary: fc.record({ type: fc.constant("commit" as const), intents, wait: fc.boolean() }) },
  {
    weight: 4,
    arbitrary: fc.record({
      type: fc.constant("open" as const),
      range: fc.constantFrom(...RANGES),
      back: fc.integer({ min: -3, max: 12 }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ type: fc.constantFrom("read" as const, "resume" as const), watch: watchNumber }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ type: fc.constant("compact" as const), back: fc.integer({ min: 0, max: 10 }) }),
  },
);

interface Watched {
  readonly range: KeyRange;
  readonly after: number;
  watch: StoreWatch;
  reading: Promise<void> | undefined;
  readonly seen: StoreChange[];
}

test("watches are Ordered, Unique, Atomic, Reliable, Resumable, Filter and PrevKV", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 60 }), async (steps) => {
      await using place = await memoryPlace();
      const store = await place.open();
      const model = new StoreModel();
      const watched = await play(store, model, steps);
      for (const one of watched) checkWatch(one, store, model);
    }),
    { numRuns: 150 },
  );
});

async function play(store: Store, model: StoreModel, steps: readonly Step[]): Promise<Watched[]> {
  const watched: Watched[] = [];
  const answers: Promise<unknown>[] = [];
  for (const step of steps) {
    const target = step.type === "read" || step.type === "resume" ? watched[step.watch] : undefined;
    if (step.type === "commit") {
      const ops = model.ops(step.intents);
      model.commit(ops);
      const answer = store.commit(ops).catch(() => undefined);
      answers.push(answer);
      if (step.wait) await answer;
    } else if (step.type === "compact") {
      await store.compact(toRevision(Math.max(store.revision - step.back, 1)));
    } else if (step.type === "open") {
      const after = toRevision(Math.max(store.revision - step.back, store.compactedRevision));
      watched.push({
        range: step.range,
        after,
        watch: store.watch(step.range, { after }),
        reading: undefined,
        seen: [],
      });
    } else if (target !== undefined) {
      if (step.type === "resume") resume(store, target);
      target.reading ??= read(target);
    }
  }
  await Promise.all(answers);
  return await drain(store, watched);
}

/** Resumable: a new watch continues after the last received change, if that revision is not compacted. */
function resume(store: Store, target: Watched): void {
  const last = target.seen.at(-1)?.revision ?? target.after;
  if (target.reading !== undefined || last < store.compactedRevision) return;
  target.watch.close();
  target.watch = store.watch(target.range, { after: toRevision(last) });
}

async function read(target: Watched): Promise<void> {
  const changes = await target.watch.next();
  target.seen.push(...(changes ?? []));
  target.reading = undefined;
}

/** One more change in every range wakes the waiting readers; then every event is delivered. */
async function drain(store: Store, watched: readonly Watched[]): Promise<Watched[]> {
  while (store.revision < Math.max(0, ...watched.map(({ after }) => after)) + 1) await touchAll(store);
  await touchAll(store);
  for (const one of watched) {
    while ((one.seen.at(-1)?.revision ?? 0) < store.revision && one.range.from !== "/x") {
      await (one.reading ?? read(one));
    }
    one.watch.close();
  }
  return [...watched];
}

async function touchAll(store: Store): Promise<void> {
  await store.commit(
    ["/a/10", "/a/1", "/b/1", "/c"].map((key) => {
      const kv = store.get(key);
      if (kv === undefined) return { type: "create", key, value: Buffer.from("end") };
      return { type: "update", key, value: Buffer.from("end"), ifModRevision: kv.modRevision };
    }),
  );
}

function checkWatch({ range, after, seen }: Watched, store: Store, model: StoreModel): void {
  const revisions = seen.map(({ revision }) => revision);
  expect(revisions, "Ordered, Unique").toEqual([...new Set(revisions)].sort((a, b) => a - b));
  const scripted = seen.filter(({ revision }) => revision <= model.revision);
  expect(scripted.map(showChange), "Atomic, Reliable, Filter").toEqual(model.changes(range, after));
  for (const change of seen) {
    for (const event of change.events) {
      if (change.revision - 1 < store.compactedRevision) continue;
      const before = store.get(eventKey(event), toRevision(change.revision - 1));
      expect(show(event.prev), "PrevKV").toBe(show(before));
    }
  }
}
