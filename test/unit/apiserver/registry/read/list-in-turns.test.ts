import { beforeEach, describe, expect, test } from "vitest";
import { parseLabelSelector } from "../../../../../src/apimachinery/meta/label-selector.ts";
import { encodeStored } from "../../../../../src/apiserver/registry/codec/object-codec.ts";
import {
  type ListRequest,
  listInTurns,
  listObjects,
} from "../../../../../src/apiserver/registry/read/list.ts";
import { watchInTurns } from "../../../../../src/apiserver/registry/read/watch.ts";
import { createMemoryEngine } from "../../../../../src/storage/engine.ts";
import { openMvccStore } from "../../../../../src/storage/mvcc/mvcc-store.ts";
import type { Store } from "../../../../../src/storage/store.ts";
import { countTurns } from "../../../../support/count-turns.ts";
import { ManualClock } from "../../../storage/manual-clock.ts";
import { customView, object } from "../support.ts";

const view = customView();
const PREFIX = "/registry/example.com/things/default/";
const MANY = 3000;
const selection = { labels: parseLabelSelector("odd=true"), fields: undefined };

const thing = (index: number, odd = index % 2 === 1) =>
  encodeStored(object(`t${index}`, {}, { labels: { odd: String(odd) } }), undefined);
const keyOf = (index: number) => `${PREFIX}t${String(index).padStart(5, "0")}`;

let store: Store;

beforeEach(async () => {
  store = await openMvccStore(createMemoryEngine(), { clock: new ManualClock() });
  await store.commit(
    Array.from({ length: MANY }, (_, index) => ({
      type: "create",
      key: keyOf(index),
      value: thing(index),
    })),
  );
});

const asked = (request: Partial<ListRequest>): ListRequest => ({
  namespace: "default",
  selection,
  resourceVersion: "",
  resourceVersionMatch: "",
  limit: 0,
  continueToken: "",
  ...request,
});

/** Every object becomes odd, and some go. */
async function change(): Promise<void> {
  for (let index = 0; index < MANY; index += 100) {
    const live = store.get(keyOf(index));
    const ifModRevision = live!.modRevision;
    await store.commit([{ type: "update", key: keyOf(index), value: thing(index, true), ifModRevision }]);
    await store.commit([
      { type: "delete", key: keyOf(index + 1), ifModRevision: store.get(keyOf(index + 1))!.modRevision },
    ]);
  }
}

describe("a list that looks into many objects", () => {
  test.each([
    ["of all", {}],
    ["of some", { limit: 1000 }],
    ["of as many as there are", { limit: MANY / 2 }],
  ] as const)("%s is that of one revision, and others have their turn", async (_, request) => {
    const expected = listObjects(store, view, asked(request));
    const { done, turns } = await countTurns(async () => {
      const listed = listInTurns(store, view, asked(request));
      await change();
      return await listed;
    });
    expect(done).toEqual(expected);
    expect(turns).toBeGreaterThan(2);
  });

  test("begins a watch that misses nothing", async () => {
    const first = listObjects(store, view, asked({}));
    const request = { namespace: "default", selection, resourceVersion: "", sendInitialEvents: true };
    const { done: watch } = await countTurns(async () => {
      const opened = watchInTurns(store, view, request);
      await change();
      return await opened;
    });
    expect(watch.initial).toEqual(first.items);
    const events = (await watch.next()) ?? [];
    expect(events.filter(({ type }) => type === "ADDED")).toHaveLength(MANY / 100);
    expect(events.filter(({ type }) => type === "DELETED")).toHaveLength(MANY / 100);
    watch.close();
  });
});
