import { describe, expect, test } from "vitest";
import { decodeJson } from "../../../../../src/apimachinery/json/json-decode.ts";
import type { MemberOrder } from "../../../../../src/apimachinery/json/json-encode.ts";
import type { KubeObject } from "../../../../../src/apimachinery/meta/object-meta.ts";
import { toRevision } from "../../../../../src/apimachinery/meta/revision.ts";
import {
  decodeStored,
  encodeStored,
  jsonLength,
  listItemLength,
  toJson,
  writeJson,
  writeListItem,
} from "../../../../../src/apiserver/registry/codec/object-codec.ts";
import { object, POD_ORDER, stored } from "../support.ts";

const CASES: [rule: string, object: KubeObject][] = [
  ["small", object("t")],
  [
    "with content before and behind metadata",
    object("t", { aaa: 1, spec: { b: [1, { c: null }], a: "x" }, status: {} }),
  ],
  ["with letters beyond ASCII", object("t", { ä: "漢😀", spec: { ö: '\u2028"\\' } }, { labels: { a: "ä" } })],
  ["with integers beyond 2^53", object("t", { spec: { n: 9_007_199_254_740_993n, m: [-(2n ** 63n)] } })],
  ["with a key that objects have from birth", object("t", { spec: JSON.parse('{"__proto__":{"a":1}}') })],
  [
    "with all of metadata",
    object(
      "t",
      {},
      {
        generation: 3,
        labels: { a: "1" },
        annotations: { b: "2" },
        finalizers: ["a/b"],
        managedFields: [{ manager: "m", fieldsV1: { "f:spec": {} } }],
        ownerReferences: [{ apiVersion: "v1", kind: "K", name: "n", uid: "u" }],
      },
    ),
  ],
];

const [KIND, NAME] = [{ apiVersion: "v1", kind: "Pod" }, "t"];
CASES.push(
  ["without anything behind its revision", { ...KIND, metadata: { name: NAME }, spec: { a: 1 } }],
  ["without metadata", { ...KIND, metadata: {} }],
  ["with a uid and no time", { ...KIND, metadata: { name: NAME, uid: "u" }, spec: {} }],
);

describe.each([
  ["a custom resource", undefined],
  ["an object of a built-in kind", POD_ORDER],
])("%s", (_kind, order) => {
  test.each(CASES)("%s comes back as it went, with its revision", (_rule, value) => {
    const kv = stored(value, 42, order);
    const whole = { ...value, metadata: { ...value.metadata, resourceVersion: "42" } };
    expect(decodeStored(kv)).toEqual(whole);
    expect(decodeJson(toJson(kv)).value).toEqual(whole);
  });

  test.each(CASES)("%s: lengths are told before", (_rule, value) => {
    const kv = stored(value, 42, order);
    expect(toJson(kv)).toHaveLength(jsonLength(kv));
    const target = Buffer.alloc(jsonLength(kv) + 10, "-");
    expect(writeJson(kv, target, 5)).toBe(5 + jsonLength(kv));
    expect(target.subarray(5, -5)).toEqual(toJson(kv));
    const item = Buffer.alloc(listItemLength(kv));
    expect(writeListItem(kv, item, 0)).toBe(item.length);
    expect(decodeJson(item).value).toMatchObject({ metadata: value.metadata });
  });

  test("is the same bytes for the same value, however its keys are ordered", () => {
    const one = object("t", { spec: { a: 1, b: { c: 2, d: 3 } }, other: 1 });
    const { metadata, ...rest } = one;
    const other = { other: 1, spec: { b: { d: 3, c: 2 }, a: 1 }, metadata: { ...metadata } };
    expect(encodeStored({ ...rest, ...other }, order)).toEqual(encodeStored(one, order));
  });

  test("does not hold its resourceVersion, nor members that are undefined", () => {
    const value = object("t", { spec: undefined }, { resourceVersion: "9" });
    expect(encodeStored(value, order)).toEqual(encodeStored(object("t"), order));
  });

  test("is read once, and may be shown with the revision of its deletion", () => {
    const kv = stored(object("t"), 42, order);
    expect(decodeStored(kv)).toBe(decodeStored(kv));
    expect(decodeJson(toJson(kv, toRevision(50))).value).toMatchObject({
      metadata: { resourceVersion: "50" },
    });
    expect(decodeStored(kv).metadata.resourceVersion).toBe("42");
  });
});

test("items of built-in kinds go without kind and apiVersion, custom ones with them", () => {
  const item = (order: MemberOrder | undefined) => {
    const kv = stored(object("t", { spec: {} }), 42, order);
    const target = Buffer.alloc(listItemLength(kv));
    writeListItem(kv, target, 0);
    return Object.keys(decodeJson(target).value as object);
  };
  expect(item(POD_ORDER)).toEqual(["metadata", "spec"]);
  expect(item(undefined)).toEqual(["apiVersion", "kind", "metadata", "spec"]);
});

test("the JSON of a built-in kind begins with its kind, that of a custom one is sorted", () => {
  const value = object("t", { data: 1, spec: {} });
  const text = (order: MemberOrder | undefined) =>
    Object.keys(decodeJson(toJson(stored(value, 42, order))).value as object);
  expect(text(POD_ORDER)).toEqual(["kind", "apiVersion", "metadata", "spec", "data"]);
  expect(text(undefined)).toEqual(["apiVersion", "data", "kind", "metadata", "spec"]);
});

test("a stored value that is no object is our own mistake", () => {
  const kv = { ...stored(object("t")), value: Buffer.concat([Buffer.alloc(6), Buffer.from("[]")]) };
  expect(() => decodeStored(kv)).toThrow("is no object");
});
