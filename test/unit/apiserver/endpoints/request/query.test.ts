import { describe, expect, test } from "vitest";
import { Query } from "../../../../../src/apiserver/endpoints/request/request-info.ts";

describe("a query is read as Go reads it", () => {
  test.each([
    ["a value", "a=1", ["1"]],
    ["a key without a value has an empty one", "a", [""]],
    ["a key with an equals sign and no value", "a=", [""]],
    ["of several values all are kept, in order", "a=1&b=x&a=2", ["1", "2"]],
    ["a second equals sign belongs to the value", "a=b=c", ["b=c"]],
    ["a plus is a space", "a=x+y%2Bz", ["x y+z"]],
    ["escapes are resolved in keys too", "%61=%3D%26", ["=&"]],
    ["letters beyond ASCII come as UTF-8", "a=%C3%A4", ["ä"]],
    ["a pair that is escaped wrongly is dropped", "a=%zz&a=2", ["2"]],
    ["a pair with a semicolon is dropped", "a=1;b=2&a=3", ["3"]],
    ["empty pairs mean nothing", "&&a=1&", ["1"]],
    ["nothing", "", []],
  ])("%s", (_rule, text, values) => {
    const query = new Query(text);
    expect(query.all("a")).toEqual(values);
    expect(query.get("a")).toBe(values[0] ?? "");
    expect(query.has("a")).toBe(values.length > 0);
  });
});

describe("a flag", () => {
  test.each([
    ["is false when absent", "", false, undefined],
    ["is true for true", "f=true", true, true],
    ["is true for 1", "f=1", true, true],
    ["is true without a value", "f", true, true],
    ["is true for an empty value", "f=", true, true],
    ["is true for any word", "f=no", true, true],
    ["is false for false", "f=false", false, false],
    ["is false for FALSE", "f=FALSE", false, false],
    ["is false for 0", "f=0", false, false],
    ["follows its first value", "f=0&f=1", false, false],
  ])("%s", (_rule, text, flag, optional) => {
    expect(new Query(text).flag("f")).toBe(flag);
    expect(new Query(text).optionalFlag("f")).toBe(optional);
  });
});
