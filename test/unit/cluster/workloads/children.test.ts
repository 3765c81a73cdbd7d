import { beforeEach, describe, expect, test } from "vitest";
import type { KubeObject } from "../../../../src/apimachinery/meta/object-meta.ts";
import { Children, ownersOf } from "../../../../src/cluster/workloads/children.ts";
import { planClaims } from "../../../../src/cluster/workloads/claim.ts";
import { FakeClient } from "../../../support/fake-client.ts";
import { LABELS, PODS, podOf, SELECTOR } from "./support.ts";

const KIND = { apiVersion: "apps/v1", kind: "ReplicaSet" };
const owner = (name: string): KubeObject => ({
  metadata: { name, namespace: "a", uid: name },
  spec: { selector: SELECTOR },
});
const by = (name: string, kind = "ReplicaSet") => [
  { apiVersion: "apps/v1", kind, name, uid: name, controller: true },
];
const child = (name: string, version: number, metadata: KubeObject["metadata"] = {}): KubeObject =>
  podOf(name, {}, { metadata: { resourceVersion: String(version), ...metadata } });
const names = (objects: readonly KubeObject[]) => objects.map(({ metadata }) => metadata.name);

let children: Children;
beforeEach(() => {
  children = new Children(new FakeClient(), PODS, KIND);
});
const add = (object: KubeObject, old?: KubeObject) =>
  children.observe({ type: old ? "update" : "add", object, old });

describe("what an owner controls", () => {
  test("is told by the watch, each version once", () => {
    const first = child("p", 2, { ownerReferences: by("x") });
    expect([add(first), add(first), add(child("p", 1, { ownerReferences: by("x") }))]).toEqual([
      true,
      false,
      false,
    ]);
    expect(names(children.of(owner("x")))).toEqual(["p"]);
    const released = child("p", 3);
    expect(add(released, first)).toBe(true);
    expect([names(children.of(owner("x"))), names(children.orphansIn("a"))]).toEqual([[], ["p"]]);
  });

  test("leaves out what owners of other kinds control", () => {
    expect(add(child("p", 1, { ownerReferences: by("x", "DaemonSet") }))).toBe(false);
    expect(children.of(owner("x"))).toEqual([]);
  });
});

test("a change concerns who controls it, who did, and who might adopt it", () => {
  const owners = { list: () => [owner("x"), owner("y")].values() };
  const [controlled, free] = [child("p", 1, { ownerReferences: by("x") }), child("p", 2)];
  expect(ownersOf({ type: "add", object: controlled, old: undefined }, KIND, owners)).toEqual(["a/x"]);
  expect(ownersOf({ type: "update", object: free, old: controlled }, KIND, owners)).toEqual([
    "a/x",
    "a/x",
    "a/y",
  ]);
  expect(ownersOf({ type: "update", object: child("p", 3), old: free }, KIND, owners)).toEqual([]);
  const other = child("p", 4, { labels: { app: "other" } });
  expect(ownersOf({ type: "add", object: other, old: undefined }, KIND, owners)).toEqual([]);
});

test("claims: what is selected stays or is adopted, the rest is let go; an owner that goes does neither", () => {
  const [mine, not] = [child("mine", 1), child("not", 1, { labels: { app: "other" } })];
  const free = [
    child("free", 1, { labels: LABELS }),
    child("going", 1, { deletionTimestamp: "2026-01-01T00:00:00Z" }),
  ];
  const plan = planClaims(owner("x"), [mine, not], free);
  expect([plan.mine, plan.release, plan.adopt].map(names)).toEqual([["mine"], ["not"], ["free"]]);
  const going = {
    ...owner("x"),
    metadata: { ...owner("x").metadata, deletionTimestamp: "2026-01-01T00:00:00Z" },
  };
  const none = planClaims(going, [mine, not], free);
  expect([none.mine, none.release, none.adopt].map(names)).toEqual([["mine"], [], []]);
});
