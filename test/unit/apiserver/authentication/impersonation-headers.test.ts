import { expect, it } from "vitest";
import { readImpersonation } from "../../../../src/apiserver/authentication/authenticator.ts";

const NOTHING = { name: "", uid: "", groups: [], extra: {} };

it.each([
  ["other headers ask for nobody", ["Host", "a", "Impersonate", "x", ":path", "/"], undefined],
  ["an empty user asks for nobody", ["Impersonate-User", ""], undefined],
  ["the user", ["Impersonate-User", "bob"], { ...NOTHING, name: "bob" }],
  ["the first of two users", ["impersonate-user", "a", "Impersonate-User", "b"], { ...NOTHING, name: "a" }],
  ["the uid", ["IMPERSONATE-UID", "7"], { ...NOTHING, uid: "7" }],
  [
    "each group as it is, commas included",
    ["Impersonate-Group", "a,b", "impersonate-group", "c"],
    { ...NOTHING, groups: ["a,b", "c"] },
  ],
  [
    "extra values by key, which is in small letters and may be escaped",
    ["Impersonate-Extra-Scopes", "x", "impersonate-extra-scopes", "y", "Impersonate-Extra-A%2fb", "z"],
    { ...NOTHING, extra: { scopes: ["x", "y"], "a/b": ["z"] } },
  ],
  [
    "a key that is escaped wrongly as it stands",
    ["Impersonate-Extra-%zz", "x"],
    { ...NOTHING, extra: { "%zz": ["x"] } },
  ],
])("reads %s", (_rule, headers, expected) => {
  expect(readImpersonation(headers)).toEqual(expected);
});

it("keeps a key that objects have already", () => {
  const wanted = readImpersonation(["Impersonate-Extra-__proto__", "x"]);
  expect(Object.entries(wanted?.extra ?? {})).toEqual([["__proto__", ["x"]]]);
});
