import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../../src/apimachinery/json/json.ts";
import { invalid } from "../../../../src/apimachinery/meta/field-error.ts";
import { validateStructuralSchema } from "../../../../src/apimachinery/schema/structural.ts";
import { cpuMs } from "../../../support/cpu-time.ts";
import { customSchema, texts } from "./support.ts";

const check = (raw: JsonObject): string[] => texts(validateStructuralSchema(raw, "s"));

/** The findings about a schema at s.properties[spec].properties[a], without the path to it. */
const checkField = (a: JsonObject): string[] =>
  check({ type: "object", properties: { spec: { type: "object", properties: { a } } } }).map((text) =>
    text.replaceAll("s.properties[spec].properties[a]", "a"),
  );

const STRING = { type: "string" };

test.each(["egressip", "egressrouter", "route", "userdefinednetwork", "vtep"] as const)(
  "the schema of %s is in order",
  (name) => {
    expect(check(customSchema(name))).toEqual([]);
  },
);

describe("structure", () => {
  test.each<[string, JsonObject, string[]]>([
    ["a type at the root", {}, ["s.type: Required value: must not be empty at the root"]],
    ["which is object", { type: "string" }, ['s.type: Invalid value: "string": must be object at the root']],
    [
      "no additionalProperties at the root, nor beside properties",
      { type: "object", properties: { a: STRING }, additionalProperties: STRING },
      [
        "s.additionalProperties: Forbidden: must not be used at the root",
        "s.additionalProperties: Forbidden: additionalProperties and properties are mutual exclusive",
      ],
    ],
    [
      "nothing about metadata but the name",
      { type: "object", properties: { metadata: { type: "object", minProperties: 1 } } },
      [
        "s.properties[metadata]: Forbidden: must not specify anything other than name and generateName, but metadata is implicitly specified",
      ],
    ],
    [
      "metadata is an object, kind and apiVersion are strings",
      { type: "object", properties: { metadata: { type: "string" }, kind: { type: "integer" } } },
      [
        's.properties[kind].type: Invalid value: "integer": must be string',
        's.properties[metadata].type: Invalid value: "string": must be object',
      ],
    ],
    [
      "a pattern for the name",
      {
        type: "object",
        properties: { metadata: { type: "object", properties: { name: { ...STRING, pattern: "^x$" } } } },
      },
      [],
    ],
    [
      "the root is not nullable",
      { type: "object", nullable: true },
      ["s.nullable: Forbidden: nullable cannot be true at the root"],
    ],
    [
      "at the root alternatives name known fields only",
      { type: "object", properties: {}, anyOf: [{ properties: { b: { minLength: 1 } } }] },
      ["s.properties[b]: Required value: because it is defined in s.anyOf[0].properties[b]"],
    ],
  ])("%s", (_rule, raw, expected) => {
    expect(check(raw)).toEqual(expected);
  });

  test("with a status subresource nothing may stand at the root that the status alone would lose", () => {
    const hasStatus = { hasStatus: true };
    const fine = { type: "object", required: ["spec"], properties: {}, description: "x" };
    expect(validateStructuralSchema(fine, "s", hasStatus)).toEqual([]);
    const [error] = validateStructuralSchema({ type: "object", minProperties: 1 }, "s", hasStatus);
    expect(error?.field).toBe("s");
    expect(error?.message).toContain(
      'Invalid value: {"ID":"","Schema":"","Ref":null,"Description":"","Type":"object"',
    );
    expect(error?.message).toContain('"MinProperties":1,');
    expect(error?.message).toContain(": only [Description Type Format Title ");
    const [wrongType] = validateStructuralSchema({ type: "string" }, "s", hasStatus);
    expect(wrongType?.message).toBe(
      'Invalid value: "string": only "object" is allowed as the type at the root of the schema if the status subresource is enabled',
    );
  });

  test.each<[string, JsonObject, string[]]>([
    ["a type for each field", {}, ["a.type: Required value: must not be empty for specified object fields"]],
    [
      "and for items",
      { type: "array", items: {} },
      ["a.items.type: Required value: must not be empty for specified array items"],
    ],
    ["items for each list", { type: "array" }, ["a.items: Required value: must be specified"]],
    [
      "a known type",
      { type: "nosuch" },
      [
        'a.type: Unsupported value: "nosuch": supported values: "array", "boolean", "integer", "number", "object", "string"',
      ],
    ],
    [
      "no types in alternatives",
      { ...STRING, anyOf: [STRING] },
      ["a.anyOf[0].type: Forbidden: must be empty to be structural"],
    ],
    [
      "the findings are sorted",
      { ...STRING, not: { title: "t", default: 1, nullable: true } },
      [
        "a.not.default: Forbidden: must be undefined to be structural",
        "a.not.nullable: Forbidden: must be false to be structural",
        "a.not.title: Forbidden: must be empty to be structural",
      ],
    ],
    ["the one exception", { "x-kubernetes-int-or-string": true, anyOf: [{ type: "integer" }, STRING] }, []],
    [
      "and its other form",
      { "x-kubernetes-int-or-string": true, allOf: [{ anyOf: [{ type: "integer" }, STRING] }] },
      [],
    ],
    ["int-or-string beside a type", { ...STRING, "x-kubernetes-int-or-string": true }, []],
    [
      "a property that only an alternative names",
      { type: "object", properties: { c: STRING }, allOf: [{ properties: { b: { minLength: 1 } } }] },
      [],
    ],
    [
      "an embedded resource without fields must preserve what is unknown",
      { type: "object", "x-kubernetes-embedded-resource": true },
      [
        "a.properties: Required value: must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields",
      ],
    ],
    [
      "a pattern that is none",
      { ...STRING, pattern: "[a" },
      [
        'a.pattern: Invalid value: "[a": must be a valid regular expression, but isn\'t: error parsing regexp: missing closing ]: `[a`',
      ],
    ],
  ])("%s", (_rule, raw, expected) => {
    expect(checkField(raw)).toEqual(expected);
  });
});

describe("keywords", () => {
  test.each<[string, JsonObject, string[]]>([
    [
      "uniqueItems",
      { type: "array", items: STRING, uniqueItems: true },
      [
        "a.uniqueItems: Forbidden: uniqueItems cannot be set to true since the runtime complexity becomes quadratic",
      ],
    ],
    ["$ref", { $ref: "#/definitions/x" }, ["a.$ref: Forbidden: $ref is not supported"]],
    ["id", { ...STRING, id: "x" }, ["a.id: Forbidden: id is not supported"]],
    [
      "definitions",
      { ...STRING, definitions: { x: STRING } },
      ["a.definitions: Forbidden: definitions is not supported"],
    ],
    [
      "a list of items",
      { type: "array", items: [STRING] },
      ["a.items: Forbidden: items must be a schema object and not an array"],
    ],
    [
      "the type null",
      { type: "null" },
      [
        'a.type: Unsupported value: "null": supported values: "array", "boolean", "integer", "number", "object", "string"',
        "a.type: Forbidden: type cannot be set to null, use nullable as an alternative",
      ],
    ],
    [
      "a map type that is none",
      { type: "object", "x-kubernetes-map-type": "nosuch" },
      ['a.x-kubernetes-map-type: Unsupported value: "nosuch": supported values: "atomic", "granular"'],
    ],
    [
      "preserving unknown fields may not be switched off",
      { type: "object", "x-kubernetes-preserve-unknown-fields": false },
      ["a.x-kubernetes-preserve-unknown-fields: Invalid value: false: must be true or undefined"],
    ],
  ])("%s", (_rule, raw, expected) => {
    expect(checkField(raw)).toEqual(expected);
  });

  const item = { type: "object", properties: { k: STRING } };
  const list = (more: JsonObject): JsonObject => ({ type: "array", items: item, ...more });
  const map = { "x-kubernetes-list-type": "map" };
  test.each<[string, JsonObject, string[]]>([
    [
      "a map needs keys",
      list(map),
      ["a.x-kubernetes-list-map-keys: Required value: must not be empty if x-kubernetes-list-type is map"],
    ],
    [
      "that are always there",
      list({ ...map, "x-kubernetes-list-map-keys": ["k"] }),
      [
        "a.items.properties[k].default: Required value: this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property",
      ],
    ],
    [
      "and known",
      list({ ...map, "x-kubernetes-list-map-keys": ["nosuch"] }),
      [
        'a.x-kubernetes-list-map-keys: Invalid value: ["nosuch"]: entries must all be names of item properties',
      ],
    ],
    [
      "items of a set are atomic",
      list({ "x-kubernetes-list-type": "set" }),
      [
        "a.items.x-kubernetes-map-type: Invalid value: null: must be atomic as item of a list with x-kubernetes-list-type=set",
      ],
    ],
    [
      "an unknown list type",
      list({ "x-kubernetes-list-type": "nosuch" }),
      ['a.x-kubernetes-list-type: Unsupported value: "nosuch": supported values: "atomic", "set", "map"'],
    ],
    [
      "keys without a map",
      list({ "x-kubernetes-list-type": "atomic", "x-kubernetes-list-map-keys": ["k"] }),
      [
        'a.x-kubernetes-list-type: Invalid value: "atomic": must be map if x-kubernetes-list-map-keys is non-empty',
      ],
    ],
    [
      "a list type on something else",
      { ...STRING, "x-kubernetes-list-type": "atomic" },
      ['a.type: Invalid value: "string": must be array if x-kubernetes-list-type is specified'],
    ],
  ])("list types: %s", (_rule, raw, expected) => {
    expect(checkField(raw)).toEqual(expected);
  });
});

describe("defaults", () => {
  test.each<[string, JsonObject, string[]]>([
    [
      "must be of the type",
      { ...STRING, default: 1 },
      ['a.default: Invalid value: "integer":  in body must be of type string: "integer"'],
    ],
    [
      "and fit the schema",
      { type: "integer", minimum: 5, default: 1 },
      ["a.default: Invalid value: 1:  in body should be greater than or equal to 5"],
    ],
    [
      "and the enumeration",
      { ...STRING, enum: ["x"], default: "y" },
      ['a.default: Unsupported value: "y": supported values: "x"'],
    ],
    [
      "hold nothing unknown",
      { type: "object", default: { x: 1 } },
      ['a.default: Invalid value: {"x":1}: must not have unknown fields'],
    ],
    [
      "have what is required",
      { type: "object", properties: { b: STRING }, required: ["b"], default: {} },
      ["a.default.b: Required value"],
    ],
    ["null is none", { ...STRING, default: null }, []],
    [
      "of an embedded resource make one",
      {
        type: "object",
        "x-kubernetes-embedded-resource": true,
        "x-kubernetes-preserve-unknown-fields": true,
        default: {},
      },
      ["a.default.apiVersion: Required value", "a.default.kind: Required value"],
    ],
    [
      "inside of its metadata make valid metadata",
      {
        type: "object",
        "x-kubernetes-embedded-resource": true,
        properties: { metadata: { type: "object", properties: { name: { ...STRING, default: "a/b" } } } },
      },
      [
        `a.properties[metadata].properties[name].default: Invalid value: "a/b": must result in valid metadata: metadata.name: Invalid value: "a/b": may not contain '/'`,
      ],
    ],
  ])("%s", (_rule, raw, expected) => {
    expect(checkField(raw)).toEqual(expected);
  });

  test("may not stand at the metadata of the object", () => {
    const metadata = { type: "object", properties: { name: { ...STRING, default: "x" } } };
    expect(check({ type: "object", properties: { metadata } })).toEqual([
      "s.properties[metadata].properties[name].default: Forbidden: must not be set in top-level metadata",
    ]);
  });

  test("are looked at only where the schema is structural", () => {
    expect(checkField({ type: "object", properties: { b: {}, c: { ...STRING, default: 1 } } })).toEqual([
      "a.properties[b].type: Required value: must not be empty for specified object fields",
    ]);
  });

  test("must fulfil the rules of their place", () => {
    const raw = { type: "object", properties: { spec: { ...STRING, default: "x" } } };
    const defaultRules = (_node: unknown, value: unknown, path: string) => [invalid(path, value, "rule")];
    expect(texts(validateStructuralSchema(raw, "s", { defaultRules }))).toEqual([
      's.properties[spec].default: Invalid value: "x": rule',
    ]);
  });
});

test("10,000 defaults are checked in about linear time", () => {
  const members = Array.from({ length: 10_000 }, (_, index): [string, JsonObject] => [
    `p${index}`,
    { type: "string", default: index === 9000 ? 1 : "x" },
  ]);
  const raw = {
    type: "object",
    properties: { spec: { type: "object", properties: Object.fromEntries(members) } },
  };
  const start = cpuMs();
  const errors = validateStructuralSchema(raw, "schema");
  expect(errors.map(({ field }) => field)).toEqual(["schema.properties[spec].properties[p9000].default"]);
  expect(cpuMs() - start).toBeLessThan(2500); // with a compiled check for each it took more than 5,000
});
