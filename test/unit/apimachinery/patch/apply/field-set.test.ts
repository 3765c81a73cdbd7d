import { describe, expect, test } from "vitest";
import {
  describePathElement,
  PathElementError,
  parsePathElement,
  pathElementText,
} from "../../../../../src/apimachinery/patch/apply/fields/field-path.ts";
import {
  contains,
  difference,
  EMPTY,
  equalSets,
  type FieldSet,
  intersection,
  isEmpty,
  LEAF,
  recursiveDifference,
  setOfPaths,
  union,
} from "../../../../../src/apimachinery/patch/apply/fields/field-set.ts";
import {
  decodeFieldSet,
  encodeFieldSet,
} from "../../../../../src/apimachinery/patch/apply/fields/fields-v1.ts";

/** "a.b c": the fields a.b and c. */
const set = (paths: string): FieldSet =>
  setOfPaths(
    paths
      .split(" ")
      .filter(Boolean)
      .map((path) => path.split(".").map((name) => ({ type: "field", name }))),
  );

describe("steps", () => {
  test.each([
    ["f:name", ".name"],
    ["f:", "."],
    ['f:a"b.c', '.a"b.c'],
    ['k:{"name":"x"}', '[name="x"]'],
    ['k:{"port":80,"protocol":"TCP"}', '[port=80,protocol="TCP"]'],
    ['v:"a"', '[="a"]'],
    ["v:1", "[=1]"],
    ["v:true", "[=true]"],
    ["v:null", "[=null]"],
    ['v:{"b":1}', "[=b=1]"],
    ["v:[1,2]", "[=[1,2]]"],
    ["i:3", "[3]"],
  ])("%s is %s", (text, shown) => {
    const element = parsePathElement(text);
    expect(element && [pathElementText(element), describePathElement(element)]).toEqual([text, shown]);
  });

  test("keys are sorted, and written without needless space", () => {
    const element = parsePathElement('k:{ "b": 1, "a": "\\u0041" }');
    expect(element && pathElementText(element)).toBe('k:{"a":"A","b":1}');
  });

  test("kinds of steps to come are no error", () => {
    expect(parsePathElement("x:new")).toBeUndefined();
  });

  test.each(["", "f", "name", "k:{", "k:[]", "v:", "i:", "i:x"])("%j is none", (text) => {
    expect(() => parsePathElement(text)).toThrow(PathElementError);
  });
});

describe("sets", () => {
  test.each<[string, FieldSet, string]>([
    ["union", union(set("a a.b c"), set("a.b a.d")), "a a.b a.d c"],
    ["intersection", intersection(set("a a.b c"), set("a.b c.d")), "a.b"],
    ["difference takes fields away, but not what lies below", difference(set("a a.b c"), set("a c")), "a.b"],
    ["recursive difference takes all", recursiveDifference(set("a a.b c d.e"), set("a d.f")), "c d.e"],
    ["nothing without anything", difference(EMPTY, set("a")), ""],
    ["everything without itself", difference(set("a.b c"), set("a.b c")), ""],
  ])("%s", (_name, result, expected) => {
    expect(equalSets(result, set(expected))).toBe(true);
    expect(isEmpty(result)).toBe(expected === "");
  });

  test("what does not change is not made anew", () => {
    const fields = set("a a.b c");
    expect(union(fields, set("a.b"))).toBe(fields);
    expect(difference(fields, set("x"))).toBe(fields);
    expect(intersection(fields, set("a a.b c d"))).toBe(fields);
    expect(recursiveDifference(fields, set("a.x"))).toBe(fields);
  });

  test("containing", () => {
    expect(contains(set("a a.b"), set("a.b"))).toBe(true);
    expect(contains(set("a.b"), set("a"))).toBe(false);
    expect(contains(EMPTY, set("a"))).toBe(false);
    expect(contains(LEAF, EMPTY)).toBe(true);
  });
});

describe("FieldsV1", () => {
  test.each<[string, string, object]>([
    ["a field", "a", { "f:a": {} }],
    ["a field below one that is not in the set", "a.b", { "f:a": { "f:b": {} } }],
    ["a field and one below it", "a a.b", { "f:a": { ".": {}, "f:b": {} } }],
    ["nothing", "", {}],
  ])("%s", (_what, paths, fields) => {
    expect(encodeFieldSet(set(paths))).toEqual(fields);
    expect(equalSets(decodeFieldSet(fields), set(paths))).toBe(true);
  });

  test("fields before keys before values before indexes, each in their order", () => {
    const steps = [
      "f:a",
      "f:b",
      'k:{"n":2}',
      'k:{"n":10}',
      'k:{"n":"a"}',
      "v:2",
      "v:10",
      'v:"a"',
      "v:true",
      "i:2",
      "i:10",
    ];
    const fields = decodeFieldSet(Object.fromEntries([...steps].reverse().map((step) => [step, {}])));
    expect(Object.keys(encodeFieldSet(fields))).toEqual(steps);
  });

  test("read with what a client may have written: nulls, unknown steps, odd keys", () => {
    const fields = decodeFieldSet({ "f:a": null, "x:b": {}, 'k:{"b":1, "a":2}': { ".": {} }, ".": {} });
    expect(encodeFieldSet(fields)).toEqual({ "f:a": {}, 'k:{"a":2,"b":1}': {} });
  });

  test.each([[1], ["text"], [[]], [{ bad: {} }], [{ "f:a": 1 }]])("%j is none", (fields) => {
    expect(() => decodeFieldSet(fields)).toThrow(PathElementError);
  });
});
