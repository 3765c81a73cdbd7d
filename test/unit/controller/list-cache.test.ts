import fc from "fast-check";
import { expect, test } from "vitest";
import type { KubeObject } from "../../../src/apimachinery/meta/object-meta.ts";
import { toRevision } from "../../../src/apimachinery/meta/revision.ts";
import type { ResourceView } from "../../../src/apiserver/registry/definition/resource-definition.ts";
import { ListCache } from "../../../src/controller/list-cache.ts";
import type { KeyValue } from "../../../src/storage/store.ts";

const VIEW = {} as ResourceView; // nothing of it is looked at
const stored = (key: string): KeyValue => ({
  key,
  value: Buffer.alloc(0),
  createRevision: toRevision(1),
  modRevision: toRevision(1),
});
const KVS = ["a", "b", "c", "d", "e"].map(stored);

/** Lists in which nothing is looked up twice, and what was looked up. */
function lists() {
  const whole = new ListCache<KeyValue>();
  const looked: string[] = [];
  const make = (items: readonly KeyValue[], revision: number, form = "") =>
    whole.make(VIEW, form, { items, revision }, ({ key }): KubeObject => {
      looked.push(key);
      return { metadata: { name: key } };
    });
  return { whole, make, looked };
}

test("of a kind of which nothing has changed a list has the items of the one before", async () => {
  const { whole, make, looked } = lists();
  const first = await make(KVS, 1);
  const second = await make([...KVS], 2);
  expect(second.items).toBe(first.items);
  expect([first.resourceVersion, second.resourceVersion]).toEqual(["1", "2"]);
  expect(looked).toHaveLength(KVS.length);
  expect([whole.at(VIEW, "", 2)?.items, whole.at(VIEW, "", 1)]).toEqual([first.items, undefined]);
});

test("of what has changed only that is looked up once more", async () => {
  const { make, looked } = lists();
  await make(KVS, 1);
  looked.length = 0;
  const [a, b, , d, e] = KVS as [KeyValue, KeyValue, KeyValue, KeyValue, KeyValue];
  const { items } = await make([a, b, stored("c"), stored("cc"), d, e], 2);
  expect(items.map(({ metadata }) => metadata.name)).toEqual(["a", "b", "c", "cc", "d", "e"]);
  expect(looked).toEqual(["c", "cc"]);
});

test("forms are kept apart", async () => {
  const { make, looked } = lists();
  await make(KVS, 1, "one");
  await make(KVS, 1, "other");
  expect(looked).toHaveLength(2 * KVS.length);
});

test("whatever comes and goes, a list has what is stored, in its order", async () => {
  const any = fc.array(fc.array(fc.constantFrom(...KVS, ...["b", "x"].map(stored)), { maxLength: 8 }));
  await fc.assert(
    fc.asyncProperty(any, async (states) => {
      const { make } = lists();
      for (const [revision, items] of states.entries()) {
        const list = await make(items, revision);
        expect(list.items.map(({ metadata }) => metadata.name)).toEqual(items.map(({ key }) => key));
      }
    }),
  );
});
