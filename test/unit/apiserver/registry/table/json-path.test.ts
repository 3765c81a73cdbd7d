import { describe, expect, test } from "vitest";
import {
  findByPath,
  findFirst,
  parseJsonPath,
} from "../../../../../src/apiserver/registry/table/json-path.ts";

const object = {
  metadata: { name: "n", labels: { "app.kubernetes.io/name": "web" } },
  spec: { list: ["a", "b", "c"], empty: [], none: null, text: "t", count: 3, part: 1.5, on: true },
  status: {
    conditions: [
      { type: "Ready", status: "True", weight: 2 },
      { type: "Other (x)]", status: "False", weight: 7 },
      { status: "Unknown" },
    ],
  },
};

function find(path: string): readonly unknown[] | undefined {
  const steps = parseJsonPath(path);
  if (steps === undefined) throw new Error(`${path} does not parse`);
  const found = findByPath(object, steps);
  expect(findFirst(object, steps)).toEqual(found?.slice(0, 1));
  return found;
}

describe("a path finds", () => {
  test.each<[rule: string, path: string, found: unknown[]]>([
    ["a member", ".metadata.name", ["n"]],
    ["a member after the root sign", "$.metadata.name", ["n"]],
    ["a member after the sign of the present object", "@.metadata.name", ["n"]],
    ["nothing where a member is missing", ".spec.nosuch.deeper", []],
    ["nothing below a text", ".spec.text.deeper", []],
    ["nothing below null", ".spec.none.deeper", []],
    ["null itself", ".spec.none", [null]],
    ["a member with dots in its name, escaped", ".metadata.labels.app\\.kubernetes\\.io/name", ["web"]],
    ["a quoted member", "['metadata']['name']", ["n"]],
    ["a quoted member with escaped dots", ".metadata.labels['app\\.kubernetes\\.io/name']", ["web"]],
    ["the elements of a list", ".spec.list[*]", ["a", "b", "c"]],
    ["no elements of an empty list", ".spec.empty[*]", []],
    ["one element", ".spec.list[1]", ["b"]],
    ["an element from the end", ".spec.list[-1]", ["c"]],
    ["a range", ".spec.list[0:2]", ["a", "b"]],
    ["a range up to the end", ".spec.list[1:]", ["b", "c"]],
    ["a range from the end", ".spec.list[-2:]", ["b", "c"]],
    ["every second element", ".spec.list[::2]", ["a", "c"]],
    ["a range without elements", ".spec.list[1:1]", []],
    ["the first element with empty brackets", ".spec.list[]", ["a"]],
    ["several elements", ".spec.list[0,2]", ["a", "c"]],
    ["several members", ".metadata['name', 'nosuch']", ["n"]],
    ["all members, by name", ".metadata.labels.*", ["web"]],
    ["a member at any depth", "..weight", [2, 7]],
    ["the elements with a value", '.status.conditions[?(@.type=="Ready")].status', ["True"]],
    ["the same with spaces and single quotes", ".status.conditions[?( @.type == 'Ready' )].status", ["True"]],
    ["brackets inside of quotes", '.status.conditions[?(@.type=="Other (x)]")].status', ["False"]],
    [
      "the elements with another value, of those that have one",
      '.status.conditions[?(@.type!="Ready")].weight',
      [7],
    ],
    ["the elements above a number", ".status.conditions[?(@.weight>=7)].status", ["False"]],
    ["the elements that have a member", ".status.conditions[?(@.type)].status", ["True", "False"]],
    ["the whole object at the empty path", "", [object]],
  ])("%s: %s", (_rule, path, found) => {
    expect(find(path)).toEqual(found);
  });
});

describe("a search is spoiled by", () => {
  test.each([
    ["an index beyond the end", ".spec.list[3]"],
    ["an index of an empty list", ".spec.empty[0]"],
    ["an index of a text", ".spec.text[0]"],
    ["a filter of a text", ".spec.text[?(@.a)]"],
    ["a range beyond the end", ".spec.list[0:9]"],
    ["a comparison of different types", '.status.conditions[?(@.weight=="2")].status'],
    ["a comparison of a whole number with a fraction", ".status.conditions[?(@.weight==1.5)].status"],
    ["an unknown comparison", '.status.conditions[?(@.type=!"Ready")].status'],
    ["a bare word", "spec.text"],
    ["a step that is not positive", ".spec.list[0:2:0]"],
  ])("%s: %s", (_rule, path) => {
    expect(find(path)).toBeUndefined();
  });
});

test.each([".spec.a[", ".a[x]", ".a[?(@.b]", ".a[?(@.b==1)", ".a['b", "....a", ".a[-]", "#", "'open"])(
  "%s does not parse",
  (path) => {
    expect(parseJsonPath(path)).toBeUndefined();
  },
);

test("the first of many values is found without the others", () => {
  let looked = 0;
  const item = () => ({
    get a() {
      looked++;
      return 1;
    },
  });
  const steps = parseJsonPath(".items[*].a") ?? [];
  expect(findFirst({ items: Array.from({ length: 100 }, item) }, steps)).toEqual([1]);
  expect(looked).toBe(1);
});
