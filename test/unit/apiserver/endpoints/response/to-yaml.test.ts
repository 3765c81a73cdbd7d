// YAML answers equal those of Go servers, and decode to the original object.
import fc from "fast-check";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { decodeDocuments, strictValue } from "../../../../../src/apimachinery/yaml/decode-yaml.ts";
import { toYaml, yamlParts } from "../../../../../src/apiserver/endpoints/response/to-yaml.ts";
import { cpuMs } from "../../../../support/cpu-time.ts";

const ODD = ["yes", "No", "~", "null", "1", "1.5", "0x1f", "1e3", "12:30:45", "2026-01-01", "k8s.ovn.org/x"]
  .concat(["10.0.0.1", "fd00::1", "a: b", "a:b", "a #b", "#a", "- a", "-a", "a-", "-", "?", "a ", "  a"])
  .concat([
    "a\nb",
    "a\n",
    "\na",
    "a\n\nb\n",
    "a\tb",
    "'q'",
    '"dq"',
    "it's",
    "",
    "=",
    "<<",
    "...",
    "---",
    "017",
  ])
  .concat([
    ".5",
    ".inf",
    "+1",
    "@a",
    "&a",
    "{a}",
    "a]",
    "| x",
    "é",
    "日本",
    ...["a\u2028", "a\u2029b", "\u0085", "\ufeffa", "<<", "="],
    "😀",
    "off",
    "a:",
    ":a",
  ]);
const text = fc.oneof(
  fc.constantFrom(...ODD),
  fc.string({ maxLength: 20 }),
  fc.tuple(fc.constantFrom(...ODD), fc.constantFrom(...ODD)).map(([a, b]) => a + b),
  fc.string({ unit: fc.constantFrom("a", ":", " ", "-", "\n", "\n\n", "\t"), maxLength: 8 }),
);
const valuesOf = (text: fc.Arbitrary<string>): fc.Arbitrary<unknown> =>
  fc.letrec((tie) => ({
    value: fc.oneof(
      { depthSize: "small" },
      text,
      fc.constantFrom(null, true, false, 0, -1, 1.5, 1e21, 1e-7),
      fc.array(tie("value"), { maxLength: 4 }),
      fc.dictionary(text, tie("value"), { maxKeys: 4, noNullPrototype: true }),
    ),
  })).value;

test("readers that take YAML as Go servers do read what was written", () => {
  fc.assert(
    fc.property(valuesOf(text), (item) => {
      const written = toYaml(JSON.stringify({ item }));
      expect([...decodeDocuments(written)].map(strictValue), written).toEqual([{ item }]);
    }),
    { numRuns: 2000 },
  );
});

test.each([
  ["", '""'],
  ["yes", '"yes"'],
  ["1:20", '"1:20"'],
  ["a: b", "'a: b'"],
  ["it's", "it's"],
  ["- it's", "'- it''s'"],
  ["a ", "'a '"],
  ["a\tb", '"a\\tb"'],
  ["é\u00a0日本", "é\u00a0日本"],
  ["😀", '"\\U0001F600"'],
  ["\r\u0000\u001b", '"\\r\\0\\e"'],
  ["\ufeff", '"\\uFEFF"'],
  ["a\nb", "|-\n  a\n  b"],
  ["a\n\nb\n", "|\n  a\n\n  b"],
  ["a\n\n", "|+\n  a\n"],
  ["\n", "|2+\n"],
  ["\n a\n", "|2\n\n   a"],
  [" a\nb", "|2-\n   a\n  b"],
  ["a \nb", '"a \\nb"'],
  ["a\n ", '"a\\n "'],
  ["\n\ta", '"\\n\\ta"'],
])("%j is written as kubectl writes it", (item, written) => {
  expect(toYaml(JSON.stringify({ item }))).toBe(`item: ${written}\n`);
});

test("what is undefined is not there", () => {
  expect([...yamlParts({ a: undefined, b: { c: undefined }, d: [undefined] })].join("")).toBe(
    "b: {}\nd:\n- null\n",
  );
});

test("what is deep and what is long comes in short parts", () => {
  const depth = 1000;
  const deep = JSON.parse(`${'{"a":'.repeat(depth)}"${"x\\n".repeat(1000)}"${"}".repeat(depth)}`);
  const parts = [...yamlParts(deep)];
  expect(Math.max(...parts.map((part) => part.length))).toBeLessThanOrEqual(2 * depth);
  expect(parse(parts.join(""))).toEqual(deep);
});

test("keys of any length are read as they were", () => {
  const object = { ["long ".repeat(300)]: { a: ["b"] }, ["x".repeat(2000)]: 1 };
  expect(parse(toYaml(JSON.stringify(object)))).toEqual(object);
});

test("values as deep as a store may hold them are written", () => {
  const depth = 9_999;
  const yaml = toYaml(`${"[".repeat(depth)}1${"]".repeat(depth)}`);
  expect(yaml).toBe(`${"- ".repeat(depth)}1\n`);
});

test("a long object takes about linear time", () => {
  const object = Object.fromEntries(Array.from({ length: 100_000 }, (_, index) => [`key${index}`, "value"]));
  const json = JSON.stringify({ object });
  const before = cpuMs();
  expect(toYaml(json).split("\n")).toHaveLength(100_002);
  expect(cpuMs() - before).toBeLessThan(2500);
});

test("a long text has the style that a short one has", () => {
  const long = "b".repeat(5000);
  const styles: readonly (readonly [string, string])[] = [
    [`a${long}`, `a${long}`],
    [`a ${long}:x`, `a ${long}:x`],
    [`a: ${long}`, `'a: ${long}'`],
    [`${long} #c`, `'${long} #c'`],
    [`${long}:`, `'${long}:'`],
    [`1${"0".repeat(5000)}`, `"1${"0".repeat(5000)}"`],
    [`\n${long}\n\n  c\n`, `|2\n\n  ${long}\n\n    c`],
    [`${long}\n\n`, `|+\n  ${long}\n`],
  ];
  for (const [text, written] of styles) {
    expect(toYaml(JSON.stringify(text))).toBe(`${written}\n`);
    expect(parse(`${written}\n`, { version: "1.1" })).toBe(text);
  }
});
