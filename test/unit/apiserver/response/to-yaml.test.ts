// The YAML of answers is what the library writes of the same value, but walked without recursion.
import fc from "fast-check";
import { expect, test } from "vitest";
import { Document, parse, visit } from "yaml";
import { toYaml, yamlParts } from "../../../../src/apiserver/response/to-yaml.ts";
import { cpuMs } from "../../../support/cpu-time.ts";

const NOT_BARE = /^(?:[#,[\]{}&*!|>'"%@`]|---|\.\.\.|[?:-](?: |$)| )|:(?: |$)| #| $/;

function libraryYaml(value: unknown): string {
  const options = { sortMapEntries: true, aliasDuplicateObjects: false, compat: "yaml-1.1" } as const;
  const document = new Document(value, options);
  visit(document, {
    Scalar(_key, scalar) {
      const text = scalar.value;
      if (typeof text === "string" && NOT_BARE.test(text) && !/[\n\t]/.test(text))
        scalar.type = "QUOTE_SINGLE";
    },
  });
  return document.toString({ indentSeq: false, lineWidth: 0 });
}

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
    "\u2028",
    "😀",
    "off",
    "a:",
    ":a",
  ]);
/** A key that looks like the end of a document has quotes here at every level, and the library's only at the first. */
const MARKER = /^\u2028?(---|\.\.\.)/;
const text = fc
  .oneof(
    fc.constantFrom(...ODD),
    fc.string({ maxLength: 20 }),
    fc.tuple(fc.constantFrom(...ODD), fc.constantFrom(...ODD)).map(([a, b]) => a + b),
    fc.string({ unit: fc.constantFrom("a", ":", " ", "-", "\n", "\n\n", "\t"), maxLength: 8 }),
  )
  .filter((drawn) => !MARKER.test(drawn));
const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    text,
    fc.constantFrom(null, true, false, 0, -1, 1.5, 1e21, 1e-7),
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(text, tie("value"), { maxKeys: 4, noNullPrototype: true }),
  ),
}));

test("it is the library's", () => {
  fc.assert(
    fc.property(value, (item) => {
      const json = JSON.stringify({ item });
      expect(toYaml(json)).toBe(libraryYaml(JSON.parse(json)));
    }),
    { numRuns: 2000 },
  );
});

test("lines of plain letters are a block", () => {
  const lines = fc.string({ unit: fc.constantFrom("a", ":", " ", "#", "\n"), minLength: 1, maxLength: 10 });
  fc.assert(
    fc.property(lines, (item) => {
      const object = { list: [{ item }], item };
      expect(toYaml(JSON.stringify(object))).toBe(libraryYaml(object));
    }),
    { numRuns: 5000 },
  );
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
