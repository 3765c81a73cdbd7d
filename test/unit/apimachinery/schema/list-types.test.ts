import { expect, test } from "vitest";
import type { JsonObject } from "../../../../src/apimachinery/json/json.ts";
import { validateListTypes } from "../../../../src/apimachinery/schema/list-types.ts";
import { customNode, texts } from "./support.ts";

const portMap = {
  type: "array",
  "x-kubernetes-list-type": "map",
  "x-kubernetes-list-map-keys": ["port", "protocol"],
  items: { type: "object", properties: { port: { type: "integer" }, protocol: { type: "string" } } },
};
const wordSet = { type: "array", "x-kubernetes-list-type": "set", items: { type: "string" } };
const node = customNode({
  set: wordSet,
  ports: portMap,
  names: { ...portMap, "x-kubernetes-list-map-keys": ["name"] },
  plain: { type: "array", items: { type: "object", properties: { set: wordSet } } },
  map: { type: "object", additionalProperties: wordSet },
});

test.each<[string, JsonObject, string[]]>([
  ["a set without duplicates", { set: ["a", "b"] }, []],
  ["the second of equal items is named", { set: ["a", "b", "a"] }, ['spec.set[2]: Duplicate value: "a"']],
  [
    "a third time is not worth another word",
    { set: ["a", "b", "a", "b", "a"] },
    ['spec.set[2]: Duplicate value: "a"', 'spec.set[3]: Duplicate value: "b"'],
  ],
  ["texts and numbers differ", { set: ["1", 1, true, "true", null] }, []],
  [
    "objects are compared as a whole",
    {
      set: [
        { a: 1, b: 2 },
        { b: 2, a: 1 },
      ],
    },
    ['spec.set[1]: Duplicate value: {"a":1,"b":2}'],
  ],
  [
    "items of a map with the same keys",
    {
      ports: [
        { port: 1, protocol: "TCP" },
        { port: 1, protocol: "TCP", x: 1 },
      ],
    },
    ['spec.ports[1]: Duplicate value: {"port":1,"protocol":"TCP"}'],
  ],
  ["one of several keys differs", { ports: [{ port: 1, protocol: "TCP" }, { port: 1 }] }, []],
  ["items without the key", { names: [{}, { x: 1 }] }, ["spec.names[1]: Duplicate value: {}"]],
  [
    "an item of a map must be an object",
    { names: [{ name: "a" }, "b"] },
    ['spec.names[1]: Invalid value: "b": must be an object for an array of list-type map'],
  ],
  ["lists without a type may repeat", { plain: [{}, {}] }, []],
  ["inside of items", { plain: [{ set: ["a", "a"] }] }, ['spec.plain[0].set[1]: Duplicate value: "a"']],
  ["below keys of a map", { map: { k: ["a", "a"] } }, ['spec.map[k][1]: Duplicate value: "a"']],
])("%s", (_rule, spec, expected) => {
  expect(texts(validateListTypes(node, { spec }))).toEqual(expected);
});

test("metadata has rules of its own", () => {
  expect(validateListTypes(node, { metadata: { finalizers: ["a/b", "a/b"] } })).toEqual([]);
});
