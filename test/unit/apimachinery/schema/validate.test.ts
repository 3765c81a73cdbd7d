import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../../src/apimachinery/json/json.ts";
import { compileSchema } from "../../../../src/apimachinery/schema/compile-schema.ts";
import { validateSchema } from "../../../../src/apimachinery/schema/validate.ts";
import { check, customNode, texts } from "./support.ts";

const STRING = { type: "string" };

describe("types", () => {
  test.each<[unknown, JsonObject, string]>([
    [1, STRING, 'must be of type string: "integer"'],
    [1.5, STRING, 'must be of type string: "number"'],
    [true, STRING, 'must be of type string: "boolean"'],
    [null, STRING, 'must be of type string: "null"'],
    [[], STRING, 'must be of type string: "array"'],
    [{}, STRING, 'must be of type string: "object"'],
    ["x", { type: "integer" }, 'must be of type integer: "string"'],
    ["x", { type: "integer", format: "int32" }, 'must be of type integer: "string"'],
    [{}, { type: "array", items: STRING }, 'must be of type array: "object"'],
    ["true", { type: "boolean" }, 'must be of type boolean: "string"'],
    [true, { "x-kubernetes-int-or-string": true }, 'must be of type integer,string: "boolean"'],
    [1.5, { "x-kubernetes-int-or-string": true }, 'must be of type integer,string: "number"'],
    [true, { type: "integer", format: "int32" }, 'must be of type int32: ""'],
    [5, { type: "string", format: "date" }, 'must be of type date: "int64"'],
    [{}, { type: "string", format: "ipv4" }, 'must be of type ipv4: ""'],
  ])("%j against %j", (value, schema, expected) => {
    const [first] = check(schema, value);
    expect(first).toContain(`spec.x in body ${expected}`);
  });

  test("the type that is there stands as the value", () => {
    expect(check(STRING, 1)).toEqual([
      'spec.x: Invalid value: "integer": spec.x in body must be of type string: "integer"',
    ]);
  });

  test.each<[string, JsonObject, unknown]>([
    ["an integer is a number", { type: "number" }, 2],
    ["an integer beyond 2^53 is one", { type: "integer", format: "int64" }, 9007199254740993n],
    ["a nullable field takes null", { ...STRING, nullable: true }, null],
    ["int-or-string takes both", { "x-kubernetes-int-or-string": true }, "http"],
    ["an unknown format is not checked", { ...STRING, format: "nosuch" }, "x"],
    ["where anything may be there is no type", { "x-kubernetes-preserve-unknown-fields": true }, [{}]],
    ["a list passes for a text with a format", { ...STRING, format: "ipv4" }, ["x"]],
  ])("%s", (_rule, schema, value) => {
    expect(check(schema, value)).toEqual([]);
  });
});

describe("strings", () => {
  test.each<[JsonObject, string, string[]]>([
    [
      { ...STRING, minLength: 2 },
      "x",
      ['spec.x: Invalid value: "x": spec.x in body should be at least 2 chars long'],
    ],
    [{ ...STRING, maxLength: 3 }, "abcd", ["spec.x: Too long: may not be more than 3 bytes"]],
    [{ ...STRING, maxLength: 3 }, "äöü", []],
    [
      { ...STRING, pattern: "[0-9]+" },
      "abc",
      ["spec.x: Invalid value: \"abc\": spec.x in body should match '[0-9]+'"],
    ],
    [{ ...STRING, pattern: "[0-9]+" }, "ab1c", []],
    [
      { ...STRING, maxLength: 1, minLength: 5, pattern: "z" },
      "ab",
      ["spec.x: Too long: may not be more than 1 bytes"],
    ],
    [
      { ...STRING, format: "ipv4" },
      'a"b',
      ['spec.x: Invalid value: "a\\"b": spec.x in body must be of type ipv4: "a\\"b"'],
    ],
    [
      { ...STRING, enum: ["red", "green"] },
      "Red",
      ['spec.x: Unsupported value: "Red": supported values: "red", "green"'],
    ],
  ])("%j with %j", (schema, value, expected) => {
    expect(check(schema, value)).toEqual(expected);
  });

  test("a hostile pattern costs no time", () => {
    expect(check({ ...STRING, pattern: "^(a+)+$" }, `${"a".repeat(5000)}b`)).toHaveLength(1);
  });
});

describe("lists and objects", () => {
  const list = { type: "array", items: { type: "integer" }, minItems: 1, maxItems: 2 };
  const map = { type: "object", additionalProperties: STRING, minProperties: 1, maxProperties: 2 };
  test.each<[JsonObject, unknown, string[]]>([
    [list, [], ["spec.x: Invalid value: 0: spec.x in body should have at least 1 items"]],
    [list, [1, 2, 3], ["spec.x: Too many: 3: must have at most 2 items"]],
    [{ ...list, maxItems: 1 }, [1, 2], ["spec.x: Too many: 2: must have at most 1 item"]],
    [
      list,
      ["a"],
      ['spec.x[0]: Invalid value: "string": spec.x[0] in body must be of type integer: "string"'],
    ],
    [map, {}, ["spec.x: Invalid value: 0: spec.x in body should have at least 1 properties"]],
    [map, { a: 1, b: 1, c: 1 }, ["spec.x: Too many: 3: must have at most 2 items"]],
    [
      map,
      { "a.b/c~d": 1 },
      ['spec.x.a.b/c~d: Invalid value: "integer": spec.x.a.b/c~d in body must be of type string: "integer"'],
    ],
    [
      { type: "object", required: ["b", "a"], properties: { a: STRING, c: STRING } },
      { c: 1 },
      [
        'spec.x.c: Invalid value: "integer": spec.x.c in body must be of type string: "integer"',
        "spec.x.b: Required value",
        "spec.x.a: Required value",
      ],
    ],
  ])("%j with %j", (schema, value, expected) => {
    expect(check(schema, value)).toEqual(expected);
  });

  test("a missing member of the object itself", () => {
    const node = compileSchema({
      type: "object",
      required: ["spec"],
      properties: { spec: { type: "object" } },
    });
    expect(texts(validateSchema(node, {}))).toEqual(["spec: Required value"]);
  });

  test("a member that a program set to undefined is missing", () => {
    expect(texts(validateSchema(customNode({}, { required: ["x"] }), { spec: { x: undefined } }))).toEqual([
      "spec.x: Required value",
    ]);
  });
});

test("below a root of its own messages leave the root out, fields have it", () => {
  const node = compileSchema({
    type: "object",
    properties: { messages: { type: "array", items: STRING } },
    required: ["phase"],
  });
  expect(texts(validateSchema(node, { messages: [1] }, { field: "status" }))).toEqual([
    'status.messages[0]: Invalid value: "integer": messages[0] in body must be of type string: "integer"',
    "status.phase: Required value",
  ]);
  expect(texts(validateSchema(node, "x", { field: "status" }))).toEqual([
    'status: Invalid value: "string":  in body must be of type object: "string"',
  ]);
});

describe("an update tolerates what was invalid and did not change", () => {
  const short = { type: "string", maxLength: 3 };
  const item = { type: "object", properties: { k: STRING, v: short } };
  const node = customNode({
    a: short,
    b: STRING,
    atomic: { type: "array", items: short },
    map: { type: "array", items: item, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["k"] },
    o: { type: "object", required: ["must"], properties: { c: STRING } },
  });
  const update = (old: JsonObject, spec: JsonObject): string[] =>
    texts(validateSchema(node, { spec }, { old: { spec: old } }));
  const TOO_LONG = "Too long: may not be more than 3 bytes";

  test.each<[string, JsonObject, JsonObject, string[]]>([
    ["another field changed", { a: "long!", b: "1" }, { a: "long!", b: "2" }, []],
    ["the field changed", { a: "long!" }, { a: "longer" }, [`spec.a: ${TOO_LONG}`]],
    ["the field is new", {}, { a: "long!" }, [`spec.a: ${TOO_LONG}`]],
    ["a list as a whole", { atomic: ["long!"], b: "1" }, { atomic: ["long!"], b: "2" }, []],
    [
      "items of a list do not correspond",
      { atomic: ["long!"] },
      { atomic: ["long!", "x"] },
      [`spec.atomic[0]: ${TOO_LONG}`],
    ],
    [
      "items with keys do, in any order",
      { map: [{ k: "1", v: "long!" }, { k: "2" }] },
      {
        map: [
          { k: "2", v: "x" },
          { k: "1", v: "long!" },
        ],
      },
      [],
    ],
    [
      "a new item has no past",
      { map: [{ k: "1", v: "long!" }] },
      { map: [{ k: "2", v: "long!" }] },
      [`spec.map[0].v: ${TOO_LONG}`],
    ],
    [
      "a missing member of an object that did not change",
      { o: { c: "1" }, b: "1" },
      { o: { c: "1" }, b: "2" },
      [],
    ],
    [
      "a missing member of one that did",
      { o: { c: "1" } },
      { o: { c: "2" } },
      ["spec.o.must: Required value"],
    ],
  ])("%s", (_rule, old, spec, expected) => {
    expect(update(old, spec)).toEqual(expected);
  });
});
