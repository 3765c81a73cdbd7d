import { expect, test } from "vitest";
import { prettyJson } from "../../../../../src/apiserver/endpoints/response/answer-text.ts";

test.each([
  ["scalars", '"a{}[],:"'],
  ["nested objects and lists", '{"a":{"b":[1,2,{"c":null}]},"d":"x"}'],
  ["quotes and backslashes in texts", String.raw`{"a\"b\\":"\\\"{[,:]}","c":["\\"]}`],
  ["lists of all there is", '[[],[[1]],"",null,true]'],
  ["letters beyond ASCII", '{"ä":"漢😀"}'],
])("%s are indented by two spaces", (_rule, text) => {
  expect(prettyJson(text)).toBe(JSON.stringify(JSON.parse(text), null, 2));
});

test("what is empty stays on its line", () => {
  expect(prettyJson('{"a":{},"b":[],"c":[{},[]]}')).toBe(
    '{\n  "a": {},\n  "b": [],\n  "c": [\n    {},\n    []\n  ]\n}',
  );
});

test("numbers keep every digit", () => {
  expect(prettyJson('{"a":9007199254740993,"b":1.50e3}')).toBe(
    '{\n  "a": 9007199254740993,\n  "b": 1.50e3\n}',
  );
});
