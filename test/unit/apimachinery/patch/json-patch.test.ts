import { describe, expect, test } from "vitest";
import { freezeJson, type JsonObject } from "../../../../src/apimachinery/json/json.ts";
import { decodeJson } from "../../../../src/apimachinery/json/json-decode.ts";
import { applyJsonPatch, readJsonPatch } from "../../../../src/apimachinery/patch/json-patch.ts";
import { refusal } from "./support.ts";

const patchText = (document: JsonObject, text: string): JsonObject => {
  const { value } = decodeJson(text, { keepsNumbers: true });
  const { operations } = readJsonPatch(freezeJson(value));
  return applyJsonPatch(freezeJson(document), operations);
};
const patch = (document: JsonObject, ...operations: unknown[]) =>
  patchText(document, JSON.stringify(operations));

/** What every patch that does not fit is answered with. */
const DOES_NOT_APPLY = {
  kind: "Status",
  apiVersion: "v1",
  metadata: {},
  status: "Failure",
  message: "the server rejected our request due to an error in our request",
  reason: "Invalid",
  details: {},
  code: 422,
};

type Case = [string, JsonObject, unknown[], JsonObject];

describe("operations", () => {
  test.each<Case>([
    [
      "act in order",
      { a: "1", b: "2" },
      [
        { op: "add", path: "/c", value: "3" },
        { op: "replace", path: "/a", value: "one" },
        { op: "remove", path: "/b" },
      ],
      { a: "one", c: "3" },
    ],
    [
      "move takes a value away, copy leaves it",
      { a: "1" },
      [
        { op: "move", from: "/a", path: "/z" },
        { op: "copy", from: "/z", path: "/y" },
      ],
      { z: "1", y: "1" },
    ],
    [
      "a copy is a value of its own",
      { a: { x: 1 } },
      [
        { op: "copy", from: "/a", path: "/b" },
        { op: "add", path: "/b/y", value: 2 },
      ],
      { a: { x: 1 }, b: { x: 1, y: 2 } },
    ],
    ["add replaces what is there", { a: 1 }, [{ op: "add", path: "/a", value: 2 }], { a: 2 }],
    ["replace adds what is not there", { a: 1 }, [{ op: "replace", path: "/b", value: 2 }], { a: 1, b: 2 }],
    ["an add without a value is null", {}, [{ op: "add", path: "/a" }], { a: null }],
    ["a null stays", { a: 1 }, [{ op: "replace", path: "/a", value: null }], { a: null }],
    ["a copy of nothing is null", {}, [{ op: "copy", from: "/none", path: "/a" }], { a: null }],
    [
      "~0 is a tilde, ~1 a slash",
      { "a/b": 1, "c~d": 2 },
      [
        { op: "remove", path: "/a~1b" },
        { op: "replace", path: "/c~0d", value: 3 },
      ],
      { "c~d": 3 },
    ],
    ["the empty key is a key", { "": 1 }, [{ op: "replace", path: "/", value: 2 }], { "": 2 }],
    ["replace takes the whole document", { a: 1 }, [{ op: "replace", path: "", value: { b: 2 } }], { b: 2 }],
    ["nothing to do", { a: 1 }, [], { a: 1 }],
  ])("%s", (_rule, document, operations, expected) => {
    expect(patch(document, ...operations)).toEqual(expected);
  });

  test("null is an empty document", () => {
    expect(patchText({ a: 1 }, "null")).toEqual({ a: 1 });
  });

  test("__proto__ is a key like any other", () => {
    const document = decodeJson('{"__proto__": {"a": 1}}').value as JsonObject; // as written
    const patched = patch(
      document,
      { op: "add", path: "/__proto__/b", value: 2 },
      { op: "add", path: "/x", value: 1 },
    );
    expect(Object.getOwnPropertyDescriptor(patched, "__proto__")?.value).toEqual({ a: 1, b: 2 });
    expect(Object.getPrototypeOf(patched)).toBe(Object.prototype);
    expect(refusal(() => patch({}, { op: "add", path: "/constructor/x", value: 1 })).code).toBe(422);
  });

  test("integers beyond 2^53 keep their digits", () => {
    const document = decodeJson('{"n": 9007199254740993}').value as JsonObject; // as written
    const text =
      '[{"op":"test","path":"/n","value":9007199254740993},{"op":"add","path":"/m","value":9007199254740995}]';
    expect(patchText(document, text)).toEqual({ n: 9007199254740993n, m: 9007199254740995n });
  });
});

describe("lists", () => {
  const lists = (operation: JsonObject) => patch({ l: ["a", "b"] }, operation)["l"];

  test.each<[string, JsonObject, unknown[]]>([
    ["add puts in front", { op: "add", path: "/l/0", value: "x" }, ["x", "a", "b"]],
    ["add behind the last", { op: "add", path: "/l/2", value: "x" }, ["a", "b", "x"]],
    ["- is the end", { op: "add", path: "/l/-", value: "x" }, ["a", "b", "x"]],
    ["-1 counts from the end", { op: "remove", path: "/l/-1" }, ["a"]],
    ["an add at -1 goes to the end", { op: "add", path: "/l/-1", value: "x" }, ["a", "b", "x"]],
    ["leading zeros", { op: "replace", path: "/l/01", value: "x" }, ["a", "x"]],
  ])("%s", (_rule, operation, expected) => {
    expect(lists(operation)).toEqual(expected);
  });

  test.each<[string, JsonObject]>([
    ["add beyond the end", { op: "add", path: "/l/3", value: "x" }],
    ["remove beyond the end", { op: "remove", path: "/l/2" }],
    ["replace beyond the end", { op: "replace", path: "/l/2", value: "x" }],
    ["before the beginning", { op: "remove", path: "/l/-3" }],
    ["no number", { op: "add", path: "/l/x", value: "x" }],
    ["- with remove", { op: "remove", path: "/l/-" }],
    ["no index at all", { op: "add", path: "/l/", value: "x" }],
  ])("refused: %s", (_rule, operation) => {
    expect(refusal(() => lists(operation))).toEqual(DOES_NOT_APPLY);
  });
});

describe("refused alike", () => {
  test.each<[string, unknown]>([
    ["remove of what is not there", { op: "remove", path: "/none" }],
    ["a parent that is not there", { op: "add", path: "/none/x", value: 1 }],
    ["a parent that holds nothing", { op: "add", path: "/text/x", value: 1 }],
    ["move of what is not there", { op: "move", from: "/none", path: "/x" }],
    ["move without from", { op: "move", path: "/x" }],
    ["unknown operation", { op: "put", path: "/x", value: 1 }],
    ["no operation", { path: "/x" }],
    ["no path", { op: "add", value: 1 }],
    ["null instead of an operation", null],
    ["remove of the whole document", { op: "remove", path: "" }],
    ["a document that is text", { op: "replace", path: "", value: "x" }],
    ["a test that fails", { op: "test", path: "/text", value: "y" }],
  ])("%s", (_rule, operation) => {
    expect(refusal(() => patch({ text: "x" }, operation))).toEqual(DOES_NOT_APPLY);
  });
});

describe("test", () => {
  const passes = (document: string, value: string, path = "/v"): boolean => {
    const text = `[{"op":"test","path":"${path}","value":${value}}]`;
    try {
      patchText(decodeJson(document).value as JsonObject, text); // an object, below
      return true;
    } catch {
      return false;
    }
  };

  test.each([
    ["equal text", '{"v":"a"}', '"a"', true],
    ["order of members does not count", '{"v":{"a":1,"b":[1]}}', '{"b":[1],"a":1}', true],
    ["order of items does", '{"v":[1,2]}', "[2,1]", false],
    ["a type is no other", '{"v":1}', '"1"', false],
    ["null is what is not there", "{}", "null", true],
    ["null is null", '{"v":null}', "null", true],
    ["something is not null", '{"v":0}', "null", false],
    ["numbers are compared as they are written", '{"v":1}', "1.0", false],
    ["numbers below others, too", '{"v":[{"a":1},{"spelling":"2"}]}', '[{"a":1e0},{"spelling":"2"}]', false],
    [
      "keys and texts may look like spelled numbers",
      '{"v":[1,{"spelling":"1.0"}]}',
      '[1,{"spelling":"1.0"}]',
      true,
    ],
    ["a number that is written as it is printed", '{"v":[1.5,1]}', "[1.5,1]", true],
    ["every digit counts", '{"v":9007199254740993}', "9007199254740993", true],
  ])("%s", (_rule, document, value, expected) => {
    expect(passes(document, value)).toBe(expected);
  });

  test("of the whole document", () => {
    expect(passes('{"v":1}', '{"v":1}', "")).toBe(true);
    expect(passes('{"v":1}', "{}", "")).toBe(false);
  });

  test("without a value asks whether nothing is there", () => {
    expect(patch({ a: 1 }, { op: "test", path: "/b" })).toEqual({ a: 1 });
    expect(refusal(() => patch({ a: 1 }, { op: "test", path: "/a" }))).toEqual(DOES_NOT_APPLY);
  });
});

describe("limits", () => {
  test("10000 operations", () => {
    const many = Array.from({ length: 10_000 }, () => ({ op: "test", path: "/none" }));
    expect(patch({ a: 1 }, ...many)).toEqual({ a: 1 });
    const { code, reason, message } = refusal(() => patch({}, ...many, {}));
    expect([code, reason, message]).toEqual([
      413,
      "RequestEntityTooLarge",
      "Request entity too large: The allowed maximum operations in a JSON patch is 10000, got 10001",
    ]);
  });

  test("copies may not add up to more than 3 MiB", () => {
    const copies = (count: number) =>
      Array.from({ length: count }, () => ({ op: "copy", from: "/a", path: "/l/-" }));
    const document = { a: "x".repeat(1024 * 1024 - 2), l: [] };
    expect(patch(document, ...copies(3))["l"]).toHaveLength(3);
    expect(refusal(() => patch(document, ...copies(4)))).toEqual(DOES_NOT_APPLY);
  });
});

describe("reading", () => {
  test.each([
    [
      "{}",
      "error decoding patch: json: cannot unmarshal object into Go value of type []handlers.jsonPatchOp",
    ],
    [
      '"x"',
      "error decoding patch: json: cannot unmarshal string into Go value of type []handlers.jsonPatchOp",
    ],
    ["[1]", "error decoding patch: json: cannot unmarshal number into Go value of type handlers.jsonPatchOp"],
    ["[[]]", "error decoding patch: json: cannot unmarshal array into Go value of type handlers.jsonPatchOp"],
    [
      '[{"op":true}]',
      "error decoding patch: json: cannot unmarshal bool into Go struct field jsonPatchOp.op of type string",
    ],
  ])("%s is no JSON patch", (text, message) => {
    const { code, reason, message: given } = refusal(() => readJsonPatch(decodeJson(text).value));
    expect([code, reason, given]).toEqual([400, "BadRequest", message]);
  });

  test("members that mean nothing and members given twice are findings", () => {
    const text = '[{"op":"add","op":"add","path":"/a","value":{"b":1}},{"op":"add","path":"/a","why":1}]';
    const { value, duplicates } = decodeJson(text);
    expect(readJsonPatch(value, duplicates).findings).toEqual([
      'json patch duplicate field "[0].op"',
      'json patch unknown field "[1].why"',
    ]);
  });
});
