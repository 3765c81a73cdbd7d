import { expect, test } from "vitest";
import { cloneJson, type JsonObject } from "../../../../src/apimachinery/json/json.ts";
import { pruneInTurns, pruneUnknownFields } from "../../../../src/apimachinery/schema/prune.ts";
import { countTurns } from "../../../support/count-turns.ts";
import { builtInNode, customNode } from "./support.ts";

const anything = { "x-kubernetes-preserve-unknown-fields": true };
const node = customNode({
  a: { type: "string" },
  any: anything,
  keep: {
    type: "object",
    ...anything,
    properties: { typed: { type: "object", properties: { n: { type: "integer" } } } },
  },
  map: { type: "object", additionalProperties: { type: "object", properties: { x: { type: "string" } } } },
  loose: { type: "object", additionalProperties: true },
  ports: { type: "array", items: { type: "object", properties: { port: { type: "integer" } } } },
  resource: { type: "object", "x-kubernetes-embedded-resource": true, ...anything },
});

test.each<[string, JsonObject, string[], JsonObject]>([
  ["unknown members go", { a: "1", b: 2 }, ["spec.b"], { a: "1" }],
  [
    "names are sorted",
    { z: 1, ports: [{ y: 1 }], b: 1 },
    ["spec.b", "spec.ports[0].y", "spec.z"],
    { ports: [{}] },
  ],
  [
    "keys of maps stay, what is unknown below goes",
    { map: { "1/2": { q: 1 } } },
    ["spec.map.1/2.q"],
    { map: { "1/2": {} } },
  ],
  ["an object in place of a scalar loses its members", { a: { b: 1 } }, ["spec.a.b"], { a: {} }],
  ["preserved unknown fields stay whole", { any: [1, { a: null }] }, [], { any: [1, { a: null }] }],
  [
    "below preserved fields the known ones are pruned",
    { keep: { free: { deep: [1] }, typed: { n: 1, m: 2 } } },
    ["spec.keep.typed.m"],
    { keep: { free: { deep: [1] }, typed: { n: 1 } } },
  ],
  [
    "values of which nothing is known keep their scalars only",
    { loose: { a: 1, b: { c: 2 } } },
    ["spec.loose.b.c"],
    { loose: { a: 1, b: {} } },
  ],
  [
    "metadata of an embedded resource holds what ObjectMeta has",
    { resource: { apiVersion: "v1", kind: "Pod", metadata: { name: "p", odd: 1 }, spec: { x: 1 } } },
    ["spec.resource.metadata.odd"],
    { resource: { apiVersion: "v1", kind: "Pod", metadata: { name: "p" }, spec: { x: 1 } } },
  ],
])("%s", async (_rule, spec, dropped, expected) => {
  const object = { spec };
  const copy = cloneJson(object);
  expect(pruneUnknownFields(node, object)).toEqual(dropped);
  expect(object.spec).toEqual(expected);
  expect(await pruneInTurns(node, copy)).toEqual(dropped);
  expect(copy).toEqual(object);
});

test("others have their turn while many fields are looked at, known or unknown", async () => {
  const spec: JsonObject = { ports: [], map: {} };
  for (let index = 0; index < 200_000; index++) spec[`field-${index}`] = index;
  const { turns, done } = await countTurns(() => pruneInTurns(node, { spec }));
  expect(turns).toBeGreaterThan(20);
  expect(done).toHaveLength(200_000);
  expect(spec).toEqual({ ports: [], map: {} });
});

test("a path is told once, though two places may have it", () => {
  const odd = { map: { "a.b": { x: "1", c: 1 }, a: { b: 1 } }, "map.a.b": 1 };
  expect(pruneUnknownFields(node, { spec: odd })).toEqual(["spec.map.a.b", "spec.map.a.b.c"]);
});

test("unknown members of metadata come first", () => {
  const object = { apiVersion: "v1", kind: "K", metadata: { zzz: {}, clusterName: "c", name: "n" }, baz: [] };
  expect(pruneUnknownFields(node, object)).toEqual(["metadata.clusterName", "metadata.zzz", "baz"]);
  expect(object).toEqual({ apiVersion: "v1", kind: "K", metadata: { name: "n" } });
});

test("built-in kinds name unknown fields in the order of the text, and tell upper case apart", () => {
  const object = {
    apiVersion: "v1",
    metadata: { name: "s", Labels: { a: "b" } },
    spec: { ports: [{ port: 80, prot: "x" }], nope: 1 },
    extra: true,
  };
  expect(pruneUnknownFields(builtInNode("core", "Service"), object)).toEqual([
    "metadata.Labels",
    "spec.ports[0].prot",
    "spec.nope",
    "extra",
  ]);
  expect(object).toEqual({ apiVersion: "v1", metadata: { name: "s" }, spec: { ports: [{ port: 80 }] } });
});

test("of the schema in a CRD unknown keywords are named, except where a type reads its own JSON", () => {
  const schema = {
    properties: { spec: { type: "string", odd: true } },
    items: { type: "string", odd: true },
  };
  const object = { openAPIV3Schema: schema };
  const node = builtInNode("apiextensions", "CustomResourceValidation");
  expect(pruneUnknownFields(node, object)).toEqual(["openAPIV3Schema.properties.spec.odd"]);
  expect(schema).toEqual({ properties: { spec: { type: "string" } }, items: { type: "string" } });
});

test("inside of a resource apiVersion, kind and metadata are members like others", () => {
  const value = { metadata: { name: "x" }, spec: { a: "1" } };
  const plain = { ...node, properties: new Map([["spec", node.properties.get("spec") ?? node]]) };
  expect(pruneUnknownFields(plain, value, { isResource: false })).toEqual(["metadata"]);
});
