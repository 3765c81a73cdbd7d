import { expect, test } from "vitest";
import { objectOf } from "../../../../src/registry/write/write-result.ts";
import { object, stored } from "../support.ts";

test("what was stored is read from the store's value, with its revision", () => {
  expect(objectOf({ type: "stored", kv: stored(object("t"), 42) }).metadata.resourceVersion).toBe("42");
});

test("what no store has seen is the object itself", () => {
  const bare = object("t");
  expect(objectOf({ type: "bare", object: bare })).toBe(bare);
});
