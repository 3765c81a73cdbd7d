import { describe, expect, test } from "vitest";
import type { KubeObject } from "../../../../src/apimachinery/meta/object-meta.ts";
import { differences } from "../../../../src/features/state/state-keeper.ts";
import type { KeyValue, TxnOp } from "../../../../src/storage/store.ts";
import { at, object, stored } from "../../apiserver/registry/support.ts";

/** An object at two revisions: when it was created and when it was changed. */
function kv(
  name: string,
  size: number,
  createdAt: number,
  changedAt = createdAt,
  uid = `uid-${name}`,
): KeyValue {
  const thing: KubeObject = object(name, { spec: { size } }, { uid });
  return { ...stored(thing), createRevision: at(createdAt), modRevision: at(changedAt) };
}

const wanted = (...items: readonly KeyValue[]) => new Map(items.map((item) => [item.key, item]));
const show = ({ type, key }: TxnOp): string => `${type} ${key.split("/").at(-1)}`;
const shown = async (present: readonly KeyValue[], ...items: readonly KeyValue[]) =>
  (await differences(present, wanted(...items))).commits.map((ops) => ops.map(show));

describe("from one state to another", () => {
  test("what is equal stays", async () => {
    expect(await shown([kv("a", 1, 2)], kv("a", 1, 2))).toEqual([]);
    expect(await shown([kv("a", 1, 2, 5)], kv("a", 1, 2, 3))).toEqual([]); // it was changed and changed back
  });

  test("what is too much goes, what differs is changed, what is missing comes: one commit", async () => {
    const present = [kv("a", 1, 2), kv("b", 1, 3), kv("c", 1, 4)];
    const found = await differences(present, wanted(kv("b", 2, 3, 5), kv("c", 1, 4), kv("d", 1, 6)));
    expect(found.commits.map((ops) => ops.map(show))).toEqual([["delete a", "update b", "create d"]]);
    expect(found.counts).toEqual({ created: 1, updated: 1, deleted: 1 });
  });

  test("an object that was made anew is deleted first, at a revision of its own", async () => {
    const found = await differences([kv("a", 1, 9, 9, "other")], wanted(kv("a", 1, 2)));
    expect(found.commits.map((ops) => ops.map(show))).toEqual([["delete a"], ["create a"]]);
    expect(found.counts).toEqual({ created: 1, updated: 0, deleted: 1 });
  });

  test("an object that was restored before is the same one", async () => {
    expect(await shown([kv("a", 2, 9)], kv("a", 1, 2))).toEqual([["update a"]]);
    expect(await shown([kv("a", 1, 9)], kv("a", 1, 2))).toEqual([]);
  });

  test("keys that hold no object have no identity", async () => {
    const port = (text: string, createdAt: number): KeyValue => ({
      key: "/egret/node-ports/30000",
      value: Buffer.from(text),
      createRevision: at(createdAt),
      modRevision: at(createdAt),
    });
    expect(await shown([port("default/a", 9)], port("default/b", 2))).toEqual([["update 30000"]]);
  });
});
