import { describe, expect, test } from "vitest";
import {
  ANY_REVISION,
  decodeContinue,
  encodeContinue,
} from "../../../../../src/apiserver/registry/resource-version.ts";
import { refusal } from "../support.ts";

const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");

test("a token is that of a real server, so that either reads the other's", () => {
  expect(encodeContinue({ revision: ANY_REVISION, start: "a\0" })).toBe(
    "eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6LTEsInN0YXJ0IjoiYVx1MDAwMCJ9",
  );
});

test.each([
  { revision: 7, start: "a\0" },
  { revision: ANY_REVISION, start: "namespace/name\0" },
  { revision: 2 ** 40, start: "ä.b-c" },
])("what was encoded is decoded: %j", (token) => {
  expect(decodeContinue(encodeContinue(token))).toEqual(token);
  expect(encodeContinue(token)).toMatch(/^[\w-]+$/);
});

describe("what is no token is refused", () => {
  const said = (text: string) => refusal(() => decodeContinue(text));

  test.each([
    ["no base64", "%%%", "continue key is not valid: illegal base64 data at input byte 0"],
    ["no base64 behind some", "abcd!", "continue key is not valid: illegal base64 data at input byte 4"],
    [
      "base64 with the letters of another alphabet",
      "ab+/",
      "continue key is not valid: illegal base64 data at input byte 2",
    ],
    [
      "no revision",
      encoded({ v: "meta.k8s.io/v1", start: "a" }),
      "continue key is not valid: incorrect encoded start resourceVersion (version meta.k8s.io/v1)",
    ],
    [
      "no start",
      encoded({ v: "meta.k8s.io/v1", rv: 7 }),
      "continue key is not valid: encoded start key empty (version meta.k8s.io/v1)",
    ],
    [
      "a start outside of the collection",
      encoded({ v: "meta.k8s.io/v1", rv: 7, start: "../secrets/a" }),
      "continue key is not valid: ../secrets/a",
    ],
    ["another version", encoded({ v: "x", rv: 7, start: "a" }), "does not recognize this encoded version"],
  ])("%s", (_rule, text, why) => {
    expect(said(text)).toContain(why);
  });

  test.each([
    ["a letter too many", "abcde", "illegal base64 data at input byte 4"],
    ["bytes that are no text", "zzz", "invalid character 'Ï' looking for beginning of value"],
    ["bytes that cannot be shown", "nonsense", "invalid character '\\u009e' looking for beginning of value"],
    ["nothing", encoded(null), "server does not recognize this encoded version "],
    [
      "a broken revision",
      encoded({ rv: 1.5 }),
      "json: cannot unmarshal number 1.5 into Go struct field continueToken.rv of type int64",
    ],
    ["a start that ends in a slash", encoded({ v: "meta.k8s.io/v1", rv: 7, start: "a/" }), "not valid: a/"],
    [
      "padding",
      `${encoded({ v: "meta.k8s.io/v1", rv: 7, start: "aa" })}==`,
      "illegal base64 data at input byte 56",
    ],
    [
      "no JSON",
      Buffer.from("hello").toString("base64url"),
      "invalid character 'h' looking for beginning of value",
    ],
    ["half a token", Buffer.from('{"v":').toString("base64url"), "unexpected end of JSON input"],
    ["a list", encoded([1]), "json: cannot unmarshal array into Go value of type storage.continueToken"],
    [
      "a revision that is no number",
      encoded({ v: "meta.k8s.io/v1", rv: "7", start: "a" }),
      "json: cannot unmarshal string into Go struct field continueToken.rv of type int64",
    ],
    [
      "a start that is not clean",
      encoded({ v: "meta.k8s.io/v1", rv: 7, start: "a//b" }),
      "continue key is not valid: a//b",
    ],
    ["no version", encoded({ rv: 7, start: "a" }), "server does not recognize this encoded version "],
  ])("%s in the words of Go", (_rule, text, why) => {
    const found = said(text);
    expect(found).toContain(`invalid continue token: continue key is not valid: `);
    expect(found).toContain(why);
    expect(found).not.toContain("undefined");
  });
});
