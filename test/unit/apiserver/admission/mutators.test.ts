import { expect, test } from "vitest";
import { Reinvocation } from "../../../../src/apiserver/admission/mutators.ts";

test("only those that were asked before a change are due, and only if they want to be", () => {
  const asked = new Reinvocation();
  asked.remember("a");
  asked.objectChanged(); // by a webhook that wants no reinvocation
  asked.remember("b");
  expect(["a", "b", "c"].map((key) => asked.isDue(key))).toEqual([true, false, false]);
});

test("what others change after the first round counts as well", () => {
  const object = { a: 1 };
  const asked = new Reinvocation();
  asked.remember("a");
  asked.finish(object);
  asked.resume(object);
  expect(asked.isDue("a")).toBe(false);
  object.a = 2;
  asked.resume(object);
  expect(asked.isDue("a")).toBe(true);
});
