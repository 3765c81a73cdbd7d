import { expect, test } from "vitest";
import { freezeJson, type JsonObject } from "../../../../src/apimachinery/json/json.ts";
import { decodeJson } from "../../../../src/apimachinery/json/json-decode.ts";
import { applyMergePatch } from "../../../../src/apimachinery/patch/merge-patch.ts";

const merge = (document: JsonObject, patch: JsonObject) =>
  applyMergePatch(freezeJson(document), freezeJson(patch));
const read = (text: string): JsonObject => decodeJson(text).value as JsonObject; // only objects here

test.each<[string, JsonObject, JsonObject, JsonObject]>([
  ["members are added and replaced", { a: 1, b: 2 }, { b: 3, c: 4 }, { a: 1, b: 3, c: 4 }],
  [
    "objects are merged at every depth",
    { a: { b: { c: 1 } } },
    { a: { b: { d: 2 } } },
    { a: { b: { c: 1, d: 2 } } },
  ],
  ["null deletes", { a: 1, b: 2 }, { a: null }, { b: 2 }],
  ["null of what is not there does nothing", { a: 1 }, { b: null, c: { d: null } }, { a: 1, c: {} }],
  ["lists are replaced", { a: [1, 2] }, { a: [3] }, { a: [3] }],
  ["nulls stay as items of lists", { a: [1] }, { a: [null, 1] }, { a: [null, 1] }],
  ["nulls go from objects inside lists", {}, { a: [{ b: null, c: 1 }] }, { a: [{ c: 1 }] }],
  ["an object takes the place of something else", { a: 1 }, { a: { b: 2 } }, { a: { b: 2 } }],
  ["something else takes the place of an object", { a: { b: 2 } }, { a: 1 }, { a: 1 }],
  ["an empty patch", { a: 1, n: null }, {}, { a: 1, n: null }],
])("%s", (_rule, document, patch, expected) => {
  expect(merge(document, patch)).toEqual(expected);
});

test("integers beyond 2^53 keep their digits", () => {
  const merged = merge(read('{"a": 9007199254740993}'), read('{"b": [9007199254740995]}'));
  expect(merged).toEqual({ a: 9007199254740993n, b: [9007199254740995n] });
});

test("keys that mean something to JavaScript are keys", () => {
  const document = read(
    '{"__proto__": {"a": 1}, "constructor": {"x": 1}, "~constructor": 1, "hasOwnProperty": 0}',
  );
  const patch = read('{"__proto__": {"b": 2}, "constructor": {"x": null}, "~__proto__": 2, "prototype": 3}');
  const merged = merge(document, patch);
  expect(Object.getPrototypeOf(merged)).toBe(Object.prototype);
  expect(Object.entries(merged)).toEqual([
    ["__proto__", { a: 1, b: 2 }],
    ["constructor", {}],
    ["~constructor", 1],
    ["hasOwnProperty", 0],
    ["~__proto__", 2],
    ["prototype", 3],
  ]);
  expect(Object.hasOwn(Object.prototype, "b")).toBe(false);
});

test("the result shares nothing with document and patch", () => {
  const document = { kept: { a: [1] } };
  const patch = { added: { b: [2] } };
  const merged = applyMergePatch(document, patch);
  expect(merged["kept"]).not.toBe(document.kept);
  expect(merged["added"]).not.toBe(patch.added);
});
