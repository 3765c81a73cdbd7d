import fc from "fast-check";
import { expect, test } from "vitest";
import { labelKey, Model } from "../../../src/ui/data/model.ts";
import type { Change, PodRecord } from "../../../src/ui/data/records.ts";

const pod = (uid: string, parts: Partial<PodRecord> = {}): PodRecord => ({
  uid,
  revision: 1,
  namespace: "shop",
  name: uid,
  labels: {},
  node: "n1",
  hasEnded: false,
  isOnHost: false,
  addresses: [],
  ...parts,
});
const put = (record: PodRecord): Change => ({ kind: "pods", uid: record.uid, record, revision: 1 });
const gone = (uid: string): Change => ({ kind: "pods", uid, record: undefined, revision: 1 });

test("what is touched says what was there before the first of the changes", () => {
  const model = new Model();
  const first = pod("a");
  expect(model.apply([put(first)]).pods).toEqual(new Map([["a", undefined]]));
  const { pods, nodes } = model.apply([
    put(pod("a", { node: "n2" })),
    put(pod("a", { node: "n3" })),
    gone("b"),
  ]);
  expect(pods).toEqual(new Map([["a", first]]));
  expect(nodes.size).toBe(0);
  expect([...model.podsByNode.at("n3")].map(({ uid }) => uid)).toEqual(["a"]);
  expect(model.podsByNode.at("n2").size).toBe(0);
});

test("a name is its last owner's, in whatever order the old one is known to have gone", () => {
  const model = new Model();
  model.apply([put(pod("old", { name: "web" }))]);
  model.apply([put(pod("new", { name: "web" })), gone("old")]);
  expect(model.pods.named("web", "shop")?.uid).toBe("new");
});

test("namespaces are found by a label and by its key", () => {
  const model = new Model();
  const record = {
    uid: "u",
    revision: 1,
    namespace: "",
    name: "shop",
    labels: { env: "prod" },
    isEnding: false,
  };
  model.apply([{ kind: "namespaces", uid: "u", record, revision: 1 }]);
  expect([...model.namespacesByLabel.at(labelKey("env", "prod"))]).toEqual([record]);
  expect([...model.namespacesByLabel.at("env")]).toEqual([record]);
});

test("tables and indexes hold what a plain map of the same changes holds, anew or not", () => {
  const uid = fc.constantFrom("a", "b", "c");
  const node = fc.constantFrom("n1", "n2", "");
  const change = fc.oneof(
    fc.tuple(uid, node).map(([uid, node]) => put(pod(uid, { node }))),
    uid.map(gone),
  );
  const message = fc.record({ isAnew: fc.boolean(), changes: fc.array(change, { maxLength: 6 }) });
  fc.assert(
    fc.property(fc.array(message, { maxLength: 6 }), (messages) => {
      const model = new Model();
      const plain = new Map<string, PodRecord>();
      for (const { isAnew, changes } of messages) {
        model.apply(changes, isAnew);
        if (isAnew) plain.clear();
        for (const { uid, record } of changes) {
          if (record) plain.set(uid, record as PodRecord);
          else plain.delete(uid);
        }
      }
      expect(new Set(model.pods.values())).toEqual(new Set(plain.values()));
      for (const node of ["n1", "n2", ""]) {
        const there = [...plain.values()].filter((record) => record.node === node);
        expect(new Set(model.podsByNode.at(node))).toEqual(new Set(there));
      }
    }),
  );
});
