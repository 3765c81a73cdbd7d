import { expect, test } from "vitest";
import { uidOf } from "../../../../../src/apiserver/registry/codec/object-codec.ts";
import { object, POD_ORDER, stored } from "../support.ts";

test.each([
  ["a custom resource", true],
  ["a built-in kind", false],
])("the uid of %s is read without decoding it", (_what, custom) => {
  const value = object(
    "thing",
    { spec: { uid: "not-this-one" } },
    { generateName: "th", labels: { a: "b" } },
  );
  expect(uidOf(stored(value, 7, custom ? undefined : POD_ORDER))).toBe("uid-of-thing");
});

test.each(["", "x", "default/some-service", "a longer text that is no object at all"])(
  "%j is no object",
  (text) => {
    expect(uidOf({ value: Buffer.from(text) })).toBeUndefined();
  },
);
