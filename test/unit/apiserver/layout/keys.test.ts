import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { BadPrefix, layoutKeys } from "../../../../src/apiserver/layout/keys.ts";
import { LayoutError } from "../../../../src/storage/layout.ts";

const KEYS = [
  ["/registry/pods/shop/f", "/kubernetes.io/pods/shop/f"],
  ["/registry/services/specs/shop/f", "/kubernetes.io/services/specs/shop/f"],
  ["/registry/clusterroles/system:basic-user", "/kubernetes.io/clusterroles/system:basic-user"],
  ["/registry/k8s.ovn.org/egressips/e", "/kubernetes.io/k8s.ovn.org/egressips/e"],
  ["/registry/ranges/servicenodeports/30000", "/egret/kubernetes.io/ranges/servicenodeports/30000"],
  ["/egret/absent-owners/1", "/egret/kubernetes.io/absent-owners/1"],
] as const;

test.each(KEYS)("%s", (key, etcdKey) => {
  const keys = layoutKeys("/kubernetes.io");
  expect(keys.toEtcdKey(key)).toBe(etcdKey);
  expect(keys.toEgretKey(etcdKey)).toBe(key);
  expect(keys.prefixes.filter((prefix) => etcdKey.startsWith(prefix))).toHaveLength(1);
});

test("the usual prefix is that of the store", () => {
  const keys = layoutKeys();
  expect(keys.toEtcdKey("/registry/minions/n")).toBe("/registry/minions/n");
  expect(keys.prefixes).toEqual(["/egret/registry/", "/registry/"]);
});

test.each(["foo/bar", "/foo/bar", "/foo/bar/", "foo//bar"])("a prefix may be written %s", (prefix) => {
  expect(layoutKeys(prefix).toEtcdKey("/registry/pods/a/b")).toBe("/foo/bar/pods/a/b");
});

test.each(["", "/", "a/../b", "./a", "/egret", "egret/x"])("a prefix may not be %j", (prefix) => {
  expect(() => layoutKeys(prefix)).toThrow(BadPrefix);
});

describe("what is not for the store", () => {
  test.each([
    "compact_rev_key",
    "/registry/health",
    "/registry/",
    "/registry/ranges/servicenodeports",
    "/registry/ranges/serviceips",
    "/registry/masterleases/10.0.0.1",
    "/registry/peerserverleases/apiserver-a",
    "/registryb/pods/a/b",
    "/egret/other/absent-owners/1",
  ])("%s", (etcdKey) => {
    expect(layoutKeys().toEgretKey(etcdKey)).toBeUndefined();
  });

  test("kinds whose names begin alike are", () => {
    const key = "/registry/masterleases.example.com/things/a";
    expect(layoutKeys().toEgretKey(key)).toBe(key);
  });
});

test.each([
  "a",
  "/registry",
  "/registry/",
  "/registry/health",
  "/registry/masterleases/a",
  "/egret/ranges/a",
])("%s has no place", (key) => {
  expect(() => layoutKeys().toEtcdKey(key)).toThrow(LayoutError);
});

describe("laws", () => {
  const segment = fc.string({ unit: "binary", minLength: 1 }).filter((text) => !text.includes("/"));
  const keyOf = (beginning: string) =>
    fc.array(segment, { minLength: 1, maxLength: 3 }).map((segments) => beginning + segments.join("/"));
  const keys = layoutKeys("/openshift.io");

  test("no two keys share a place, and the way back leads to the key", () => {
    const beginnings = ["/registry/pods/", "/egret/", "/registry/ranges/", "/registry/a.b/c/"];
    fc.assert(
      fc.property(fc.constantFrom(...beginnings).chain(keyOf), (key) => {
        if (!key.startsWith("/egret/ranges/")) expect(keys.toEgretKey(keys.toEtcdKey(key))).toBe(key);
      }),
    );
  });

  test("keys of a resource keep their order", () => {
    fc.assert(
      fc.property(keyOf("/registry/pods/"), keyOf("/registry/pods/"), (a, b) => {
        expect(keys.toEtcdKey(a) < keys.toEtcdKey(b)).toBe(a < b);
      }),
    );
  });
});
