// The pure functions of the lab: parameters of new nodes, the progress of an import, and which pods are evicted.
import { expect, test } from "vitest";
import type { KubeObject } from "../../../src/apimachinery/meta/object-meta.ts";
import { isEvictable } from "../../../src/ui/lab/drain.ts";
import { lastLine, toldOf } from "../../../src/ui/lab/import-told.ts";
import { addCommand, wantedNodes } from "../../../src/ui/lab/new-nodes.ts";

test("more nodes are asked for, and the command does the same", () => {
  const plain = { count: 2, assignable: 5, zones: "", network: "" };
  expect(wantedNodes(plain)).toEqual({ count: 2, assignable: 2 });
  expect(addCommand(plain)).toBe("egret nodes add 2 --assignable 2");
  const all = { count: 3, assignable: 0, zones: " west, east ,", network: "10.1.0.0/16, fd00::/64" };
  expect(wantedNodes(all)).toEqual({
    ...{ count: 3, assignable: 0, zones: ["west", "east"], networks: ["10.1.0.0/16", "fd00::/64"] },
  });
  expect(addCommand(all)).toBe("egret nodes add 3 --zone west,east --network 10.1.0.0/16,fd00::/64");
  expect(addCommand({ ...plain, assignable: 0, zones: "it's; rm" })).toBe(
    "egret nodes add 2 --zone 'it'\\''s; rm'",
  );
});

test("of what the server has told the last whole line counts", () => {
  expect(lastLine("")).toBeUndefined();
  expect(lastLine('{"done":1,')).toBeUndefined();
  expect(lastLine('{"done":1,"total":3}\n{"done":2,"to')).toEqual({ done: 1, total: 3 });
  expect(lastLine('{"done":1,"total":3}\n{"report":{"objects":3}}\n')).toEqual({ report: { objects: 3 } });
});

test("what has come of a file is one sentence", () => {
  expect(toldOf({ objects: 1, skipped: [], hints: [] })).toBe("1 object written");
  const skipped = [
    { reason: "is a Secret", count: 3 },
    { reason: "is too large", count: 1 },
  ];
  expect(toldOf({ objects: 20, skipped, hints: ["the network is another"] })).toBe(
    "20 objects written; 4 left out (is a Secret, …); the network is another",
  );
});

test("who would come back at once is not evicted", () => {
  const pod = (metadata: object) => ({ apiVersion: "v1", kind: "Pod", metadata }) as KubeObject;
  const owned = (kind: string) => pod({ ownerReferences: [{ kind, controller: true }] });
  expect([pod({}), owned("ReplicaSet"), owned("DaemonSet")].map(isEvictable)).toEqual([true, true, false]);
  expect(isEvictable(pod({ annotations: { "kubernetes.io/config.mirror": "a" } }))).toBe(false);
  expect(isEvictable(pod({ deletionTimestamp: "2026-01-01T00:00:00Z" }))).toBe(false);
});
