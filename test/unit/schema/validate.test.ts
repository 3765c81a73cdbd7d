import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../src/meta/json.ts";
import { compileSchema } from "../../../src/schema/compile-schema.ts";
import { validateSchema } from "../../../src/schema/validate.ts";
import { customNode, customSchema, fieldNode, texts } from "./support.ts";

const check = (x: JsonObject, value: unknown): string[] =>
  texts(validateSchema(fieldNode(x), { spec: { x: value } }));

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

describe("numbers", () => {
  test.each<[JsonObject, unknown, string[]]>([
    [
      { type: "integer", minimum: 2 },
      1,
      ["spec.x: Invalid value: 1: spec.x in body should be greater than or equal to 2"],
    ],
    [
      { type: "number", maximum: 5.5 },
      6,
      ["spec.x: Invalid value: 6: spec.x in body should be less than or equal to 5"],
    ],
    [
      { type: "number", maximum: 5.5 },
      5.75,
      ["spec.x: Invalid value: 5.75: spec.x in body should be less than or equal to 5.5"],
    ],
    [
      { type: "integer", minimum: 0, exclusiveMinimum: true },
      0,
      ["spec.x: Invalid value: 0: spec.x in body should be greater than 0"],
    ],
    [
      { type: "number", maximum: 1, exclusiveMaximum: true },
      1,
      ["spec.x: Invalid value: 1: spec.x in body should be less than 1"],
    ],
    [
      { type: "integer", multipleOf: 3 },
      4,
      ["spec.x: Invalid value: 4: spec.x in body should be a multiple of 3"],
    ],
    [
      { type: "integer", format: "int32" },
      2147483648,
      ['<nil>: Invalid value: "": Checked value must be of type integer with format int32 in spec.x'],
    ],
    [
      { type: "integer" },
      1.5,
      [
        'spec.x: Invalid value: "number": spec.x in body must be of type integer: "number"',
        '<nil>: Invalid value: "": Checked value must be of type integer (default format) in spec.x',
      ],
    ],
    [
      { type: "integer", format: "int32", maximum: 65535 },
      99999999999,
      [
        '<nil>: Invalid value: "": Checked value must be of type integer with format int32 in spec.x',
        "spec.x: Invalid value: 99999999999: spec.x in body should be less than or equal to 65535",
      ],
    ],
    [
      { type: "integer", format: "int64" },
      2 ** 63,
      [
        'spec.x: Invalid value: "float64": spec.x in body must be of type int64: "float64"',
        '<nil>: Invalid value: "": Checked value must be of type integer with format int64 in spec.x',
      ],
    ],
    [
      { type: "number", format: "float" },
      1e300,
      ['<nil>: Invalid value: "": Checked value must be of type number with format float in spec.x'],
    ],
    [
      { type: "integer", format: "int64", maximum: 9007199254740992 },
      9007199254740995n,
      [
        "spec.x: Invalid value: 9007199254740995: spec.x in body should be less than or equal to 9007199254740992",
      ],
    ],
    [
      { type: "number", multipleOf: 0.5 },
      1.25,
      ["spec.x: Invalid value: 1.25: spec.x in body should be a multiple of 0.5"],
    ],
  ])("%j with %s", (schema, value, expected) => {
    expect(check(schema, value)).toEqual(expected);
  });

  test.each<[JsonObject, unknown]>([
    [{ type: "integer", multipleOf: 5 }, -10],
    [{ type: "number", multipleOf: 0.1 }, 0.3],
    [{ type: "integer", minimum: -5, maximum: 5 }, -5],
    [{ type: "number", format: "float" }, 1.5],
    [{ type: "integer", multipleOf: 2 }, 9007199254740994n],
  ])("%j takes %s", (schema, value) => {
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

describe("enumerations", () => {
  test.each<[JsonObject, unknown, string[]]>([
    [{ type: "integer", enum: [1, 2] }, 3, ['spec.x: Unsupported value: 3: supported values: "1", "2"']],
    [{ type: "number", enum: [1.5] }, 1e21, ['spec.x: Unsupported value: 1e+21: supported values: "1.5"']],
    [{ type: "number", enum: [1.5] }, 1e-7, ['spec.x: Unsupported value: 1e-07: supported values: "1.5"']],
    [
      { type: "string", nullable: true, enum: ["a"] },
      null,
      ['spec.x: Unsupported value: null: supported values: "a"'],
    ],
    [{ type: "object", properties: { a: STRING }, enum: [{ a: "1" }] }, { a: "1" }, []],
    [{ type: "number", enum: [1] }, 1.75, []],
  ])("%j with %s", (schema, value, expected) => {
    expect(check(schema, value)).toEqual(expected);
  });

  test("a listed integer beyond 2^53 is found", () => {
    expect(check({ type: "integer", enum: [9007199254740993n] }, 9007199254740993n)).toEqual([]);
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

describe("alternatives", () => {
  const router = compileSchema(customSchema("egressrouter"));
  const route = compileSchema(customSchema("route"));
  const vtep = compileSchema(customSchema("vtep"));
  const name = compileSchema({
    type: "object",
    properties: {
      metadata: {
        type: "object",
        properties: { name: { type: "string", anyOf: [{ format: "ipv4" }, { pattern: "^[0-9a-f]{4}$" }] } },
      },
    },
  });
  test.each<[string, ReturnType<typeof compileSchema>, unknown, string[]]>([
    [
      "oneOf: the findings of the alternative that fitted best",
      router,
      { spec: { addresses: [], mode: "Redirect", networkInterface: { macvlan: { mode: "Bridge" } } } },
      [
        '<nil>: Invalid value: "": "spec" must validate one and only one schema (oneOf). Found none valid',
        "spec.redirect: Required value",
      ],
    ],
    [
      "oneOf: a wrong value inside of the alternative",
      router,
      {
        spec: {
          addresses: [],
          mode: "Other",
          redirect: {},
          networkInterface: { macvlan: { mode: "Bridge" } },
        },
      },
      [
        '<nil>: Invalid value: "": "spec" must validate one and only one schema (oneOf). Found none valid',
        'spec.mode: Unsupported value: "Other": supported values: "Redirect"',
      ],
    ],
    [
      "anyOf: of equals the first",
      name,
      { metadata: { name: "x" } },
      [
        '<nil>: Invalid value: "": "metadata.name" must validate at least one schema (anyOf)',
        'metadata.name: Invalid value: "x": metadata.name in body must be of type ipv4: "x"',
      ],
    ],
    ["anyOf: one is enough", name, { metadata: { name: "00ff" } }, []],
    [
      "not, inside of allOf",
      route,
      {
        spec: {
          to: { kind: "Service", name: "s", weight: 1 },
          wildcardPolicy: "None",
          port: { targetPort: 0 },
        },
      },
      [
        '<nil>: Invalid value: "": "spec.port.targetPort" must not validate the schema (not)',
        '<nil>: Invalid value: "": "spec.port.targetPort" must validate all the schemas (allOf)',
      ],
    ],
    [
      "allOf: what two of them say is said once",
      vtep,
      { spec: { cidrs: ["10.0.0.0/24"], mode: "Auto" } },
      [
        'spec.mode: Unsupported value: "Auto": supported values: "Managed", "Unmanaged"',
        '<nil>: Invalid value: "": "spec.mode" must validate all the schemas (allOf). None validated',
      ],
    ],
  ])("%s", (_rule, node, object, expected) => {
    expect(texts(validateSchema(node, object))).toEqual(expected);
  });

  test("oneOf: two are too many", () => {
    expect(check({ ...STRING, oneOf: [{ minLength: 1 }, { maxLength: 5 }] }, "abc")).toEqual([
      '<nil>: Invalid value: "": "spec.x" must validate one and only one schema (oneOf). Found 2 valid alternatives',
    ]);
  });

  test("a null is not checked against alternatives", () => {
    const schema = { ...STRING, nullable: true, oneOf: [{ minLength: 1 }, { maxLength: 5 }] };
    expect(check(schema, null)).toEqual([]);
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
