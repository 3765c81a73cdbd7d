import { expect, test } from "vitest";
import type { JsonObject } from "../../../../src/apimachinery/json/json.ts";
import { type FieldError, invalid, required } from "../../../../src/apimachinery/meta/field-error.ts";
import { compileSchema } from "../../../../src/apimachinery/schema/compile-schema.ts";
import { hasRules, validateObject } from "../../../../src/apimachinery/schema/validate-object.ts";
import { customNode, texts } from "./support.ts";

const RULED = { "x-kubernetes-validations": [{ rule: "self.a < 5" }] };
const properties = {
  a: { type: "integer", maximum: 10 },
  set: { type: "array", items: { type: "string" }, "x-kubernetes-list-type": "set" },
};
const ruled = customNode(properties, RULED);
const unruled = customNode(properties);
const RULE = invalid("spec", "object", "rule");
const validateRules = (): FieldError[] => [RULE];

const NOT_CHECKED =
  "<nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation";
const RULE_TEXT = 'spec: Invalid value: "object": rule';

test.each<[string, JsonObject, string[]]>([
  ["rules come last", { a: 1, set: ["x", "x"] }, ['spec.set[1]: Duplicate value: "x"', RULE_TEXT]],
  [
    "a value out of bounds does not keep them from running",
    { a: 11 },
    ["spec.a: Invalid value: 11: spec.a in body should be less than or equal to 10", RULE_TEXT],
  ],
  [
    "a wrong type does",
    { a: "x" },
    ['spec.a: Invalid value: "string": spec.a in body must be of type integer: "string"', NOT_CHECKED],
  ],
])("%s", (_rule, spec, expected) => {
  expect(texts(validateObject(ruled, { spec }, { validateRules }))).toEqual(expected);
});

test("without rules nothing is said of them", () => {
  expect(texts(validateObject(unruled, { spec: { a: "x" } }, { validateRules }))).toEqual([
    'spec.a: Invalid value: "string": spec.a in body must be of type integer: "string"',
  ]);
  expect([hasRules(ruled), hasRules(unruled)]).toEqual([true, false]);
});

test("what was found in metadata comes first and counts", () => {
  const preceding = [required("metadata.name")];
  expect(texts(validateObject(ruled, { spec: { a: 1 } }, { preceding, validateRules }))).toEqual([
    "metadata.name: Required value",
    NOT_CHECKED,
  ]);
});

test("duplicates that were there before are tolerated, all or none", () => {
  const object = { spec: { set: ["a", "a", "b", "b"] } };
  const validate = (old: JsonObject): string[] =>
    texts(validateObject(unruled, object, { old: { spec: old }, validateRules }));
  expect(validate({ set: ["a", "a"] })).toEqual([]);
  expect(validate({ set: ["a"] })).toHaveLength(2);
});

test("a write to the status checks the status alone, with lists and rules of the whole", () => {
  const status = { type: "object", properties: { phase: { type: "string" } } };
  const spec = { type: "object", properties, ...RULED };
  const node = compileSchema({ type: "object", properties: { spec, status } });
  const object = { spec: { a: 99, set: ["a", "a"] }, status: { phase: 1 } };
  expect(texts(validateObject(node, object, { statusOnly: true, validateRules }))).toEqual([
    'status.phase: Invalid value: "integer": phase in body must be of type string: "integer"',
    'spec.set[1]: Duplicate value: "a"',
    NOT_CHECKED,
  ]);
  expect(texts(validateObject(node, { spec: { a: 99 } }, { statusOnly: true, validateRules }))).toEqual([
    RULE_TEXT,
  ]);
});

const scale = {
  specReplicasPath: ".spec.replicas",
  statusReplicasPath: ".status.replicas",
  labelSelectorPath: ".status.selector",
};
const open = compileSchema({ type: "object", "x-kubernetes-preserve-unknown-fields": true });

test.each<[string, JsonObject, string[]]>([
  ["replicas may be missing", { spec: {} }, []],
  [
    "they are not negative",
    { spec: { replicas: -1 } },
    [".spec.replicas: Invalid value: -1: should be a non-negative integer"],
  ],
  [
    "and fit an int32",
    { status: { replicas: 2147483648 } },
    [".status.replicas: Invalid value: 2147483648: should be less than or equal to 2147483647"],
  ],
  [
    "they are integers",
    { spec: { replicas: "x" } },
    [
      ".spec.replicas: Invalid value: 0: .spec.replicas accessor error: x is of the type string, expected int64",
    ],
  ],
  [
    "below objects",
    { spec: [1] },
    [
      ".spec.replicas: Invalid value: 0: .spec.replicas accessor error: [1] is of the type []interface {}, expected map[string]interface{}",
    ],
  ],
  [
    "the selector is a text",
    { status: { selector: { a: "b" } } },
    [
      '.status.selector: Invalid value: "": .status.selector accessor error: map[a:b] is of the type map[string]interface {}, expected string',
    ],
  ],
])("scale: %s", (_rule, object, expected) => {
  expect(texts(validateObject(open, object, { scale, validateRules }))).toEqual(expected);
});

test("scale: a write to the status does not look at the spec", () => {
  const object = { spec: { replicas: -1 } };
  expect(validateObject(open, object, { scale, statusOnly: true, validateRules })).toEqual([]);
});
