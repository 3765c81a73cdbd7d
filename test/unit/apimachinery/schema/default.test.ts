import { expect, test } from "vitest";
import type { JsonObject } from "../../../../src/apimachinery/json/json.ts";
import { compileSchema } from "../../../../src/apimachinery/schema/compile-schema.ts";
import { applyDefaults } from "../../../../src/apimachinery/schema/default.ts";
import type { JsonSchema } from "../../../../src/apimachinery/schema/schema-node.ts";
import { cpuMs } from "../../../support/cpu-time.ts";
import { builtInNode, customNode, customSchema } from "./support.ts";

const node = customNode({
  a: { type: "string", default: "A" },
  nullable: { type: "string", nullable: true, default: "N" },
  none: { type: "string", default: null },
  o: { type: "object", properties: { b: { type: "integer", default: 7 } } },
  d: { type: "object", properties: { b: { type: "integer", default: 7 } }, default: {} },
  list: { type: "array", items: { type: "object", properties: { x: { type: "string", default: "X" } } } },
  map: {
    type: "object",
    additionalProperties: { type: "object", properties: { z: { type: "boolean", default: true } } },
  },
  words: { type: "array", items: { type: "string", default: "w" } },
});

const ALWAYS = { a: "A", nullable: "N", d: { b: 7 } };

test.each<[string, JsonObject, JsonObject]>([
  ["a default fills a missing field, and the defaults inside of a default", {}, ALWAYS],
  ["a given value stays", { a: "", d: { b: 0 } }, { ...ALWAYS, a: "", d: { b: 0 } }],
  ["a null takes the default where the field is not nullable", { a: null }, ALWAYS],
  ["a null stays where the field is nullable", { nullable: null }, { ...ALWAYS, nullable: null }],
  ["a given empty object gets the defaults inside", { o: {} }, { ...ALWAYS, o: { b: 7 } }],
  ["items of lists get theirs", { list: [{}, { x: "1" }] }, { ...ALWAYS, list: [{ x: "X" }, { x: "1" }] }],
  ["values of maps get theirs", { map: { k: {} } }, { ...ALWAYS, map: { k: { z: true } } }],
  ["a null item takes the default of the items", { words: [null, "v"] }, { ...ALWAYS, words: ["w", "v"] }],
  [
    "values of a wrong type are left alone",
    { o: "x", list: { a: 1 } },
    { ...ALWAYS, o: "x", list: { a: 1 } },
  ],
])("%s", (_rule, spec, expected) => {
  const object = { spec };
  applyDefaults(node, object);
  expect(object.spec).toEqual(expected);
});

test("without the object around it a default is not filled in", () => {
  const object = {};
  applyDefaults(node, object);
  expect(object).toEqual({});
});

test("each object gets a copy of the default", () => {
  const first = { spec: {} as JsonObject };
  const second = { spec: {} as JsonObject };
  applyDefaults(node, first);
  applyDefaults(node, second);
  expect(first.spec["d"]).not.toBe(second.spec["d"]);
});

test("nested defaults of an egress router", () => {
  const router = compileSchema(customSchema("egressrouter"));
  const object = { spec: { addresses: [], redirect: {}, networkInterface: null, mode: null } };
  applyDefaults(router, object);
  expect(object.spec).toEqual({
    addresses: [],
    redirect: {},
    mode: "Redirect",
    networkInterface: { macvlan: { mode: "Bridge" } },
  });
});

test("a built-in kind gets the defaults that its schema names", () => {
  const service = { spec: { ports: [{ port: 80 }] } };
  applyDefaults(builtInNode("core", "Service"), service);
  expect(service.spec.ports).toMatchObject([{ port: 80, protocol: "TCP" }]);
});

test("a default of a built-in type that Go would not write is not filled in", () => {
  const types: Record<string, JsonSchema> = {
    "io.k8s.api.core.v1.LocalObjectReference": {
      type: "object",
      properties: { name: { type: "string", default: "" } },
    },
  };
  const resolve = (ref: string): JsonSchema => types[ref.slice(ref.lastIndexOf("/") + 1)] ?? {};
  const reference = {};
  applyDefaults(
    compileSchema({ $ref: "#/components/schemas/io.k8s.api.core.v1.LocalObjectReference" }, resolve),
    reference,
  );
  expect(reference).toEqual({});
});

test("a small object does not pay for a large schema: 20,000 items with 20,000 properties around defaults", () => {
  const members = Array.from({ length: 20_000 }, (_, index): [string, JsonObject] => [
    `p${index}`,
    { type: "object", properties: { x: { type: "string", default: "X" } } },
  ]);
  const large = customNode({
    list: { type: "array", items: { type: "object", properties: Object.fromEntries(members) } },
  });
  const object = { spec: { list: Array.from({ length: 20_000 }, (_, index) => ({ [`p${index}`]: {} })) } };
  const start = cpuMs();
  applyDefaults(large, object);
  expect(object.spec.list[19_999]).toEqual({ p19999: { x: "X" } });
  expect(cpuMs() - start).toBeLessThan(3000); // 400 million looks took more than 20,000
});
