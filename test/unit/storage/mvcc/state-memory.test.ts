// The memory overhead of a stored object with its history: a hundred thousand of them have to fit into a small machine.
import { expect, test } from "vitest";
import { toRevision } from "../../../../src/apimachinery/meta/revision.ts";
import { MvccState } from "../../../../src/storage/mvcc/mvcc-state.ts";
import { stageGroup } from "../../../../src/storage/mvcc/staged-group.ts";
import type { StoreChange, TxnOp } from "../../../../src/storage/store.ts";
import { heldBytes } from "../../../support/held-memory.ts";

const OBJECTS = 10_000;
const VALUE_BYTES = 600;
const keyOf = (index: number): string => `/registry/k8s.ovn.org/egressips/egress-ip-${index}`;

/** Every object is written once more. */
async function write(state: MvccState, opOf: (index: number) => TxnOp): Promise<void> {
  for (let index = 0; index < OBJECTS; index++) {
    const { changes } = await stageGroup(state, [{ ops: [opOf(index)] }]);
    for (const change of changes) state.apply(change);
  }
}

const value = (): Buffer => Buffer.alloc(VALUE_BYTES, "x");

test("an object takes what keeps its value and its key; its past one event more, until that is forgotten", async () => {
  const atFirst = await heldBytes();
  const perObject = async (): Promise<number> => ((await heldBytes()) - atFirst) / OBJECTS;
  const state = new MvccState(toRevision(1));
  await write(state, (index) => ({ type: "create", key: keyOf(index), value: value() }));
  const created = await perObject();
  expect(created).toBeLessThan(VALUE_BYTES + 500); // about 350

  await write(state, (index) => {
    const key = keyOf(index);
    const ifModRevision = state.get(key)?.modRevision ?? toRevision(0);
    return { type: "update", key, value: value(), ifModRevision };
  });
  expect((await perObject()) - created).toBeLessThan(VALUE_BYTES + 550); // about 400

  state.moveCompacted(state.revision);
  while (state.isForgetting) state.forgetOldest(1000);
  expect(await perObject()).toBeLessThan(created + 100);
  expect(state.get(keyOf(7))?.modRevision).toBe(OBJECTS + 9);
});

test("the log tells of each change as it was", async () => {
  const state = new MvccState(toRevision(1));
  const told: StoreChange[] = [];
  const commit = async (...ops: TxnOp[]): Promise<void> => {
    const { changes } = await stageGroup(state, [{ ops }]);
    for (const change of changes) state.apply(change);
    told.push(...changes);
  };
  await commit({ type: "create", key: "/a", value: value() });
  await commit({ type: "update", key: "/a", value: value(), ifModRevision: toRevision(2) });
  await commit({ type: "create", key: "/b", value: value() }, { type: "create", key: "/c", value: value() });
  await commit({ type: "delete", key: "/a", ifModRevision: toRevision(3) });
  await commit({ type: "create", key: "/a", value: value() });
  expect(state.changesAfter({ from: "/", to: "/~" }, toRevision(1))).toEqual(told);
  expect(state.changesOf("/a")).toEqual(
    told.flatMap(({ events }) => events.filter((_, index) => events.length === 1 || index > 1)),
  );
});
