// Sorting and copying in steps that yield to the event loop: same result as at once.
import fc from "fast-check";
import { expect, test } from "vitest";
import { cloneJson } from "../../../../src/apimachinery/json/json.ts";
import { encodeJson } from "../../../../src/apimachinery/json/json-encode.ts";
import { encodeJsonInTurns } from "../../../../src/apimachinery/json/json-in-turns.ts";
import { setOfFields } from "../../../../src/apimachinery/patch/apply/fields/field-set.ts";
import { encodeLate, fieldSetText } from "../../../../src/apimachinery/patch/apply/fields/fields-v1.ts";
import { cloneJsonSteps } from "../../../../src/apimachinery/scheduling/clone-steps.ts";
import { type Coroutine, runSync } from "../../../../src/apimachinery/scheduling/coroutine.ts";
import { sortedSteps } from "../../../../src/apimachinery/scheduling/sort-steps.ts";

function counted<T>(steps: Coroutine<T>): { yields: number; value: T } {
  for (let yields = 0; ; yields++) {
    const { done, value } = steps.next();
    if (done) return { yields, value };
  }
}

const shuffled = (count: number): string[] =>
  Array.from({ length: count }, (_, index) => `k${(index * 7919) % count}`);

test("long lists are sorted in steps", () => {
  const texts = shuffled(100_000);
  const { yields, value } = counted(sortedSteps(texts));
  expect(value).toEqual(texts.toSorted());
  expect(yields).toBeGreaterThan(20);
});

test("runs of any number are merged", () => {
  const sizes = fc.integer({ min: 0, max: 60_000 });
  fc.assert(
    fc.property(sizes, (size) => {
      const texts = shuffled(size);
      expect(runSync(sortedSteps(texts))).toEqual(texts.toSorted());
    }),
    { numRuns: 10 },
  );
});

test("a copy in steps is that of cloneJson, and shares nothing", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const copy = runSync(cloneJsonSteps(value));
      expect(copy).toEqual(cloneJson(value));
      if (typeof value === "object" && value !== null) expect(copy).not.toBe(value);
    }),
  );
  expect(counted(cloneJsonSteps(Object.fromEntries(shuffled(50_000).map((key) => [key, 1])))).yields).toBe(5);
});

test("an object with very many keys is written in their order", async () => {
  const wide = { spec: Object.fromEntries(shuffled(30_000).map((key) => [key, [key]])), a: 1 };
  expect(await encodeJsonInTurns(wide)).toBe(encodeJson(wide));
});

test("a set of very many fields is written in parts, and its length needs no text", async () => {
  const set = setOfFields([
    ...shuffled(200).map((name) => ["spec", name]),
    ["metadata"],
    ["spec", "k1", "ä"],
  ]);
  expect(await encodeJsonInTurns({ a: [encodeLate(set)], b: 1 })).toBe(`{"a":[${fieldSetText(set)}],"b":1}`);
});
