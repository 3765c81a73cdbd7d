// Errors for an applied configuration that does not match the schema.
import { expect, test } from "vitest";
import type { JsonObject } from "../../../../../src/apimachinery/json/json.ts";
import { applyPatch } from "../../../../../src/apimachinery/patch/apply/apply-patch.ts";
import { customNode, refusal } from "../support.ts";

const text = { type: "string" };
const node = customNode({
  text,
  number: { type: "integer" },
  flag: { type: "boolean" },
  either: { "x-kubernetes-int-or-string": true },
  struct: { type: "object", properties: { a: text } },
  plain: { type: "array", items: text },
  set: { type: "array", "x-kubernetes-list-type": "set", items: text },
  named: {
    type: "array",
    "x-kubernetes-list-type": "map",
    "x-kubernetes-list-map-keys": ["name"],
    items: { type: "object", properties: { name: text, list: { type: "array", items: text } } },
  },
});

const refused = (applied: JsonObject) =>
  refusal(() =>
    applyPatch({
      live: undefined,
      applied,
      node,
      apiVersion: "example.org/v1",
      kind: "Thing",
      manager: "ann",
      nowText: "2024-01-01T00:00:00Z",
      force: false,
    }),
  );

const thing = (more: JsonObject): JsonObject => ({
  apiVersion: "example.org/v1",
  kind: "Thing",
  metadata: { namespace: "n", name: "x" },
  ...more,
});

test.each<[string, JsonObject]>([
  [".spec.unknown: field not declared in schema", { spec: { unknown: 1 } }],
  [
    ".metadata.unknown: field not declared in schema",
    { metadata: { namespace: "n", name: "x", unknown: 1 } },
  ],
  [".spec: expected map, got &{text}", { spec: "text" }],
  [".spec.text: expected string, got &value.valueUnstructured{Value:5}", { spec: { text: 5 } }],
  [
    '.spec.text: expected string, got &value.valueUnstructured{Value:map[string]interface {}{"a":1}}',
    { spec: { text: { a: 1 } } },
  ],
  [".spec.number: expected numeric (int or float), got string", { spec: { number: "5" } }],
  [".spec.flag: expected boolean, got &{yes}", { spec: { flag: "yes" } }],
  [".spec.plain: expected list, got &{a}", { spec: { plain: "a" } }],
  [
    ".spec.plain[1]: expected string, got &value.valueUnstructured{Value:true}",
    { spec: { plain: ["a", true] } },
  ],
  ['.spec.set: duplicate entries for key [="a"]', { spec: { set: ["a", "b", "a"] } }],
  [
    ".spec.set: element 0: associative list without keys has an element that's an explicit null",
    { spec: { set: [null] } },
  ],
  [
    ".spec.set: element 0: associative list without keys has an element that's a map type",
    { spec: { set: [{}] } },
  ],
  [".spec.set: element 0: not supported: associative list with lists as elements", { spec: { set: [[]] } }],
  ['.spec.named: duplicate entries for key [name="a"]', { spec: { named: [{ name: "a" }, { name: "a" }] } }],
  [
    ".spec.named: element 0: associative list with keys may not have a null element",
    { spec: { named: [null] } },
  ],
  [
    ".spec.named: element 0: associative list with keys may not have non-map elements",
    { spec: { named: ["a"] } },
  ],
  [
    '.spec.named[name="b"].list[1]: expected string, got &value.valueUnstructured{Value:1}',
    { spec: { named: [{ name: "a" }, { name: "b", list: ["a", 1] }] } },
  ],
  [
    "errors:\n  .spec.struct.a: expected string, got &value.valueUnstructured{Value:2}\n  .spec.text: expected string, got &value.valueUnstructured{Value:1}",
    { spec: { text: 1, struct: { a: 2 } } },
  ],
  // What is not declared ends the look at the members beside it.
  [".spec.bogus: field not declared in schema", { spec: { text: 1, bogus: {} } }],
])("%s", (faults, more) => {
  const { code, reason, message } = refused(thing(more));
  expect([code, reason, message]).toEqual([
    500,
    undefined,
    `failed to create typed patch object (n/x; example.org/v1, Kind=Thing): ${faults}`,
  ]);
});

test.each<[string, JsonObject]>([
  ["example.org/v1, Kind=Other", { kind: "Other" }],
  ["example.org/v2, Kind=Thing", { apiVersion: "example.org/v2" }],
  ["/v1, Kind=Thing", { apiVersion: "v1" }],
  ["example.org/v1, Kind=", { kind: undefined }],
])("an object that is not of the kind: %s", (shown, more) => {
  const { code, reason, message } = refused(thing(more));
  expect([code, reason, message]).toEqual([400, "BadRequest", `invalid object type: ${shown}`]);
});

test("faults beyond what is told are not looked for", () => {
  const looked = { at: 0 };
  const faulty = () => ({
    get name() {
      looked.at++;
      return 1;
    },
  });
  const { message } = refused(thing({ spec: { plain: Array.from({ length: 100_000 }, faulty) } }));
  expect(message).toMatch(/\n {2}and more$/);
  expect(looked.at).toBeLessThan(50_000);
});
