import { describe, expect, test } from "vitest";
import type { KubeObject } from "../../../../src/apimachinery/meta/object-meta.ts";
import { compileSchema } from "../../../../src/apimachinery/schema/compile-schema.ts";
import { changesBetween, pathText } from "../../../../src/features/history/field-changes.ts";

const node = compileSchema({
  type: "object",
  properties: {
    spec: {
      type: "object",
      properties: {
        ips: { type: "array", items: { type: "string" } },
        ports: {
          type: "array",
          "x-kubernetes-list-type": "map",
          "x-kubernetes-list-map-keys": ["port", "protocol"],
          items: { type: "object", properties: { port: { type: "integer" }, protocol: { type: "string" } } },
        },
        rules: { type: "array", items: { type: "object" } },
        labels: { type: "object", additionalProperties: { type: "string" } },
      },
    },
  },
});

const object = (spec: unknown, metadata: KubeObject["metadata"] = {}): KubeObject => ({
  apiVersion: "example.com/v1",
  kind: "Widget",
  metadata: { name: "a", ...metadata },
  ...(spec === undefined ? {} : { spec }),
});

const told = (before: KubeObject, after: KubeObject) =>
  changesBetween(before, after, node).map(({ path, before: was, after: is }) => [pathText(path), was, is]);

describe("between two states", () => {
  test.each([
    ["a field", { size: 1 }, { size: 2 }, [["spec.size", 1, 2]]],
    [
      "one that comes and one that goes",
      { a: 1 },
      { b: 2 },
      [
        ["spec.a", 1, undefined],
        ["spec.b", undefined, 2],
      ],
    ],
    ["a list of values is one value", { ips: ["1"] }, { ips: ["1", "2"] }, [["spec.ips", ["1"], ["1", "2"]]]],
    [
      "items are told apart by their keys",
      { ports: [{ port: 80, protocol: "TCP", name: "a" }, { port: 81 }] },
      { ports: [{ port: 82 }, { port: 80, protocol: "TCP", name: "b" }] },
      [
        ["spec.ports[port=80,protocol=TCP].name", "a", "b"],
        ["spec.ports[port=81]", { port: 81 }, undefined],
        ["spec.ports[port=82]", undefined, { port: 82 }],
      ],
    ],
    [
      "items without keys are compared place by place",
      { rules: [{ to: 1 }, { to: 2 }] },
      { rules: [{ to: 1 }, { to: 3 }, { to: 4 }] },
      [
        ["spec.rules[1].to", 2, 3],
        ["spec.rules[2]", undefined, { to: 4 }],
      ],
    ],
    [
      "names that are no words are quoted",
      { labels: { "a.io/b": "1" } },
      { labels: { "a.io/b": "2" } },
      [["spec.labels['a.io/b']", "1", "2"]],
    ],
    ["another type", { any: [1] }, { any: { a: 1 } }, [["spec.any", [1], { a: 1 }]]],
    ["nothing", { any: [{ a: 1n }] }, { any: [{ a: 1n }] }, []],
  ])("%s", (_what, before, after, changes) => {
    expect(told(object(before), object(after))).toEqual(changes);
  });

  test("neither managedFields nor resourceVersion are told, but all else of metadata is", () => {
    const before = object({}, { resourceVersion: "1", generation: 1, managedFields: [{ manager: "a" }] });
    const after = object({}, { resourceVersion: "2", generation: 2, managedFields: [{ manager: "b" }] });
    expect(told(before, after)).toEqual([["metadata.generation", 1, 2]]);
  });

  test("but fields of these names elsewhere are", () => {
    expect(told(object({ managedFields: 1 }), object({ managedFields: 2 }))).toEqual([
      ["spec.managedFields", 1, 2],
    ]);
  });
});

test("of a new object it is told what it was made with, not what every object has", () => {
  const created = object({ size: 1 }, { uid: "u", generation: 1, labels: { a: "b" } });
  const changes = changesBetween(undefined, created, node).map(({ path, after }) => [pathText(path), after]);
  expect(changes).toEqual([
    ["metadata.labels", { a: "b" }],
    ["spec", { size: 1 }],
  ]);
});
