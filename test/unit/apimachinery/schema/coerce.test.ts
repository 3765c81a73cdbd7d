import { expect, test } from "vitest";
import type { JsonObject } from "../../../../src/apimachinery/json/json.ts";
import { coerceObject } from "../../../../src/apimachinery/schema/coerce.ts";
import { builtInNode, customNode } from "./support.ts";

const node = customNode({
  a: { type: "string" },
  n: { type: "string", nullable: true },
  d: { type: "string", default: "x" },
  list: { type: "array", items: { type: "string" } },
  map: { type: "object", additionalProperties: { type: "string" } },
  any: { "x-kubernetes-preserve-unknown-fields": true },
});

test.each<[string, JsonObject, JsonObject]>([
  ["a null in a field that is not nullable counts as absent", { a: null }, {}],
  ["a nullable field keeps it", { n: null }, { n: null }],
  ["where there is a default the null waits for it", { d: null }, { d: null }],
  ["a null value of a map goes", { map: { k: null, l: "1" } }, { map: { l: "1" } }],
  ["a null item stays for validation to refuse", { list: [null] }, { list: [null] }],
  ["where anything may be, nulls may be", { any: { x: null } }, { any: { x: null } }],
])("%s", (_rule, spec, expected) => {
  const object = { spec };
  expect(coerceObject(node, object)).toEqual([]);
  expect(object.spec).toEqual(expected);
});

test("after an apply nulls are left for validation", () => {
  const object = { spec: { a: null, odd: 1 } };
  expect(coerceObject(node, object, { dropsNulls: false })).toEqual(["spec.odd"]);
  expect(object.spec).toEqual({ a: null });
});

test.each<[string, JsonObject, JsonObject]>([
  [
    "empty members of metadata go, an empty label stays",
    {
      metadata: {
        name: "n",
        labels: { a: "" },
        annotations: {},
        finalizers: [],
        selfLink: "",
        generation: 0,
      },
    },
    { metadata: { name: "n", labels: { a: "" } } },
  ],
  [
    "a null label is an empty one",
    { metadata: { labels: { a: null } } },
    { metadata: { labels: { a: "" } } },
  ],
  ["no metadata and null metadata", { metadata: null }, { metadata: {} }],
  [
    "a creation time that is not set is left out",
    { metadata: { creationTimestamp: null } },
    { metadata: {} },
  ],
  [
    "times are written in UTC with whole seconds",
    { metadata: { creationTimestamp: "2024-01-02T03:04:05.6+01:00" } },
    { metadata: { creationTimestamp: "2024-01-02T02:04:05Z" } },
  ],
  [
    "an owner reference has all of its names",
    { metadata: { ownerReferences: [{ name: "o", controller: false }] } },
    { metadata: { ownerReferences: [{ apiVersion: "", kind: "", name: "o", uid: "", controller: false }] } },
  ],
])("%s", (_rule, object, expected) => {
  coerceObject(node, object);
  expect(object).toEqual(expected);
});

test("metadata of an embedded resource is read likewise", () => {
  const embedding = customNode({
    r: {
      type: "object",
      "x-kubernetes-embedded-resource": true,
      "x-kubernetes-preserve-unknown-fields": true,
    },
  });
  const object = { spec: { r: { apiVersion: "v1", kind: "X", metadata: { labels: {}, odd: 1 } } } };
  expect(coerceObject(embedding, object)).toEqual(["spec.r.metadata.odd"]);
  expect(object.spec.r.metadata).toEqual({});
});

test("a built-in kind is brought into the form of its type", () => {
  const object = { metadata: { name: "c" }, data: { a: null }, odd: 1 };
  expect(coerceObject(builtInNode("core", "ConfigMap"), object)).toEqual(["odd"]);
  expect(object).toEqual({ metadata: { name: "c" }, data: { a: "" } });
});
