// Staging a group of changes has the same result as applying them one after the other, for any prior state. Readers see
// nothing of it before it is published.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Revision, toRevision } from "../../../../src/apimachinery/meta/revision.ts";
import { MvccState } from "../../../../src/storage/mvcc/mvcc-state.ts";
import { stageGroup } from "../../../../src/storage/mvcc/staged-group.ts";
import { EVERY_KEY, type KeyRange, type StoreChange, type TxnOp } from "../../../../src/storage/store.ts";
import { show, showChange, showEvent } from "../../../contract/store-harness.ts";

const KEYS = Array.from({ length: 1800 }, (_, index) => `/${index}`);
const RANGES: readonly KeyRange[] = [EVERY_KEY, { from: "/1", to: "/2" }, { from: "/9", to: "/90" }];

/** Puts or deletes a share of the keys, by numbers that are spread over them. */
interface Wave {
  readonly every: number;
  readonly offset: number;
  readonly deletes: number;
}

const wave: fc.Arbitrary<Wave> = fc.record({
  every: fc.integer({ min: 1, max: 7 }),
  offset: fc.nat(6),
  deletes: fc.integer({ min: 1, max: 4 }),
});

function opsOf(get: MvccState["get"], { every, offset, deletes }: Wave): TxnOp[] {
  return KEYS.filter((_, index) => index % every === offset % every).map((key, index): TxnOp => {
    const present = get(key);
    const value = Buffer.from("x".repeat(index % 5));
    if (present === undefined) return { type: "create", key, value };
    const { modRevision: ifModRevision } = present;
    if (index % deletes === 0) return { type: "delete", key, ifModRevision };
    return { type: "update", key, value, ifModRevision };
  });
}

/** Commits, each of which builds on those before it. */
async function changesOf(state: MvccState, waves: readonly Wave[]): Promise<readonly StoreChange[]> {
  const ahead = new MvccState(state.revision);
  for (const kv of state.list(EVERY_KEY).items) ahead.setBase(kv.key, kv);
  const all: StoreChange[] = [];
  for (const wave of waves) {
    const { changes } = await stageGroup(ahead, [{ ops: opsOf((key) => ahead.get(key), wave) }]);
    for (const change of changes) ahead.apply(change);
    all.push(...changes);
  }
  return all;
}

function told(state: MvccState): unknown {
  const revisions: Revision[] = [];
  for (let revision = state.compacted; revision <= state.revision; revision++)
    revisions.push(toRevision(revision));
  return {
    lists: revisions.map((at) => RANGES.map((range) => state.list(range, { at }).items.map(show))),
    pages: revisions.map((at) => RANGES.map((range) => state.list(range, { at, limit: 3 }).remaining)),
    counts: RANGES.map((range) => state.count(range)),
    changes: RANGES.map((range) => state.changesAfter(range, state.compacted).map(showChange)),
    histories: KEYS.map((key) => state.changesOf(key).map(showEvent)),
    bytes: [state.supersededBytes, state.revisionForBytes(100), state.isForgetting],
  };
}

describe("a state", () => {
  test("becomes the same by many changes at once as by one after the other", async () => {
    const groups = fc.array(fc.array(wave, { minLength: 1, maxLength: 2 }), { minLength: 1, maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(groups, fc.nat(2), async (all, behind) => {
        const [runSync, oneByOne] = [new MvccState(toRevision(1)), new MvccState(toRevision(1))];
        for (const waves of all) {
          const changes = await changesOf(oneByOne, waves);
          const before = JSON.stringify(told(runSync));
          const showAll = await runSync.prepare(changes);
          expect(JSON.stringify(told(runSync)) === before).toBe(true);
          showAll();
          for (const change of changes) oneByOne.apply(change);
        }
        expect(JSON.stringify(told(runSync)) === JSON.stringify(told(oneByOne))).toBe(true);
        const freed = [runSync, oneByOne].map((state) => {
          state.moveCompacted(toRevision(Math.max(state.revision - behind, 1)));
          const ids = [];
          while (state.isForgetting) ids.push(...state.forgetOldest(250));
          return JSON.stringify(ids);
        });
        expect(freed[0] === freed[1]).toBe(true);
        expect(JSON.stringify(told(runSync)) === JSON.stringify(told(oneByOne))).toBe(true);
      }),
      { numRuns: 10 },
    );
  });

  test("forgets a change of very many keys in parts, and reads the same meanwhile", async () => {
    const state = new MvccState(toRevision(1));
    for (const waves of [[{ every: 1, offset: 0, deletes: 1 }], [{ every: 1, offset: 0, deletes: 3 }]]) {
      for (const change of await changesOf(state, waves)) state.apply(change);
    }
    state.moveCompacted(state.revision);
    const before = JSON.stringify(state.list(EVERY_KEY, { at: state.revision }).items);
    const ids = [];
    for (let slices = 0; state.isForgetting; slices++) {
      expect(slices).toBeLessThan(20);
      const slice = state.forgetOldest(250);
      expect(slice.length).toBeLessThanOrEqual(500); // a deletion goes with what it has deleted
      ids.push(...slice);
      expect(JSON.stringify(state.list(EVERY_KEY, { at: state.revision }).items) === before).toBe(true);
      expect(KEYS.flatMap((key) => state.changesOf(key))).toEqual([]);
    }
    expect(ids.length).toBe(KEYS.length + KEYS.length / 3); // every first version, and the deletions
    expect(state.supersededBytes).toBe(0);
  });

  test("forgets small changes together, as many as a slice has room for", async () => {
    const state = new MvccState(toRevision(1));
    const commit = async (ops: readonly TxnOp[]) => {
      for (const change of (await stageGroup(state, [{ ops }])).changes) state.apply(change);
    };
    const value = Buffer.from("x");
    await commit(["/a", "/b", "/c", "/d"].map((key) => ({ type: "create", key, value })));
    for (const keys of [["/a"], ["/b"], ["/a", "/b"], ["/c"], ["/a", "/b", "/c", "/d"], ["/d"]]) {
      await commit(
        keys.map((key) => ({
          type: "update",
          key,
          value,
          ifModRevision: state.get(key)?.modRevision ?? state.revision,
        })),
      );
    }
    state.moveCompacted(toRevision(7));
    const slices: string[] = [];
    while (state.isForgetting)
      slices.push(
        state
          .forgetOldest(3)
          .map(({ key, revision }) => `${key}@${revision}`)
          .join(" "),
      );
    // The creations, then what each update replaced.
    expect(slices).toEqual(["", "", "/a@2 /b@2", "/a@3 /b@4 /c@2", "/a@5 /b@5 /c@6", "/d@2"]);
    expect([state.revision, state.supersededBytes]).toEqual([8, 1]);
  });
});
