import { expect, test } from "vitest";
import { describeChange } from "../../../../src/features/waits/timeline.ts";

const object = (content: Record<string, unknown>, metadata: Record<string, unknown> = {}) => ({
  metadata: { name: "x", ...metadata },
  ...content,
});

test.each<[rule: string, before: object, after: object, lines: string[]]>([
  ["a changed value", { spec: { a: 1 } }, { spec: { a: 2 } }, ["spec.a: 1 → 2"]],
  ["what is new", {}, { status: { items: [] } }, ['status: none → {"items":[]}']],
  ["what has gone", { data: { a: "1", b: "2" } }, { data: { b: "2" } }, ['data.a: "1" → none']],
  ["an item of a list", { list: [1, { a: 1 }] }, { list: [1, { a: 2 }] }, ["list[1].a: 1 → 2"]],
  ["a list of another length", { list: [1] }, { list: [1, 2] }, ["list: [1] → [1,2]"]],
  ["nothing", { spec: { a: 1 } }, { spec: { a: 1 } }, []],
  ["integers of any size", { a: 2n ** 60n }, { a: 1 }, ['a: "1152921504606846976" → 1']],
])("%s", (_rule, before, after, lines) => {
  expect(describeChange(object({ ...before }), object({ ...after }))).toEqual(lines);
});

test("what changes with every write is not told", () => {
  const before = object({}, { resourceVersion: "1", managedFields: [], generation: 1, labels: { a: "1" } });
  const after = object({}, { resourceVersion: "2", managedFields: [{}], generation: 2, labels: { a: "2" } });
  expect(describeChange(before, after)).toEqual(['metadata.labels.a: "1" → "2"']);
});

test("long values and many fields are cut", () => {
  const [line] = describeChange(object({ a: "" }), object({ a: "x".repeat(1000) }));
  expect(line?.length).toBeLessThan(200);
  const many = Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`f${n}`, n]));
  const lines = describeChange(object({}), object(many));
  expect([lines.length, lines.at(-1)]).toEqual([13, "and 8 more fields"]);
});
