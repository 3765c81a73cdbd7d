// YAML as clients send it, and as an attacker may send it: it is decoded or rejected in bounded time.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { stringify, type ToStringOptions } from "yaml";
import { JsonSyntaxError } from "../../../src/apimachinery/json/json-decode.ts";
import { decodeYaml, decodeYamlProper } from "../../../src/apimachinery/yaml/decode-yaml.ts";
import { YamlSyntaxError } from "../../../src/apimachinery/yaml/yaml-error.ts";
import { runs } from "../../support/fuzz-runs.ts";
import { HOSTILE_TEXTS, hostileText } from "./hostile-values.ts";

const READ_CPU_MS_MAX = 5000;

function readOrRefuse(text: string): void {
  const start = process.cpuUsage();
  try {
    decodeYaml(text);
  } catch (error) {
    const isOfJson = error instanceof JsonSyntaxError; // too deep for this process
    if (!isOfJson) expect(error, JSON.stringify(text)).toBeInstanceOf(YamlSyntaxError);
  }
  const cpuMs = process.cpuUsage(start).user / 1000; // not the time, which others take their part of
  expect(cpuMs, JSON.stringify(text.slice(0, 1000))).toBeLessThan(READ_CPU_MS_MAX);
}

const PIECES = [
  ...HOSTILE_TEXTS,
  "&a ",
  "*a",
  "<<: *a",
  "? ",
  ": ",
  "- ",
  "\n",
  "\n  ",
  "\n    ",
  "\t",
  "---\n",
  "...\n",
  "%YAML 1.1\n",
  "%TAG ! tag:a,2000:\n",
  "!!binary ",
  "!!timestamp ",
  "!!set ",
  "!local ",
  "|\n",
  ">-\n",
  "|9\n",
  '"',
  "'",
  "\\",
  "{",
  "}",
  "[",
  "]",
  ",",
  "# x",
  "0o17",
  "0777",
  ".inf",
  "1_000",
  "60:30",
  "yes",
  "~",
  "2001-01-01",
];

describe("YAML", () => {
  test("of pieces that mean something", () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...PIECES), { maxLength: 30 }), (pieces) =>
        readOrRefuse(pieces.join("")),
      ),
      runs(2000),
    );
  });

  test("of a document with pieces put in", () => {
    const document = fc.json({ maxDepth: 3 }).map((text) => stringify(JSON.parse(text)));
    const put = fc.tuple(fc.nat(), fc.oneof(fc.constantFrom(...PIECES), hostileText));
    fc.assert(
      fc.property(document, fc.array(put, { minLength: 1, maxLength: 4 }), (text, puts) => {
        let changed = text;
        for (const [number, piece] of puts) {
          const at = number % (changed.length + 1);
          changed = changed.slice(0, at) + piece + changed.slice(at);
        }
        readOrRefuse(changed);
      }),
      runs(1000),
    );
  });

  test.each([
    ["aliases of aliases", aliases(12, 9)],
    ["many aliases of one long list", `a: &a [${"x,".repeat(5000)}]\nb: [${"*a,".repeat(5000)}]\n`],
    ["an alias within itself", "a: &a [*a]\n"],
    ["deep lists", "[".repeat(20_000)],
    [
      "deep lists, one a line",
      Array.from({ length: 2000 }, (_, depth) => `${" ".repeat(depth)}-`).join("\n"),
    ],
    ["deep objects", "{a: ".repeat(10_000)],
    ["many documents", "--- {}\n".repeat(20_000)],
    ["many keys", Array.from({ length: 20_000 }, (_, index) => `k${index}: 1`).join("\n")],
    ["one key many times", "a: 1\n".repeat(5000)],
    ["one long line", `a: ${"b ".repeat(200_000)}`],
    ["one long quote", `a: "${"b\\n".repeat(200_000)}`],
    ["many comments", "# a\n".repeat(50_000)],
    ["question marks", "? ".repeat(5000)],
    ["many keys in brackets", `{${"a,".repeat(500_000)}a}`],
    ["many lists in brackets", `[${"[],".repeat(300_000)}[]]`],
    ["many pairs in brackets", `[${"a: b,".repeat(200_000)}]`],
    ["many tags", "- !!str a\n".repeat(100_000)],
    ["comments between items", "#\n- a #\n".repeat(120_000)],
    ["lists in lists", "- - - a\n".repeat(120_000)],
    ["merges", `- &a {b: c}\n${"- <<: *a\n".repeat(100_000)}`],
    ["keys that are none", "a\n".repeat(300_000)],
    ["brackets that may be keys", "[[]]: {}\n".repeat(100_000)],
    ["many anchors", Array.from({ length: 20_000 }, (_, index) => `- &a${index} 1`).join("\n")],
  ])("of %s", (_, text) => readOrRefuse(text));
});

const layout = { indent: fc.integer({ min: 1, max: 8 }), lineWidth: fc.constantFrom(0, 20, 80) };
const quotes = fc.constantFrom("QUOTE_DOUBLE" as const, "QUOTE_SINGLE" as const);
/** The styles of documents. In flow style everything is quoted, because YAML 1.2 has other rules for plain scalars there. */
const style: fc.Arbitrary<ToStringOptions> = fc.oneof(
  fc.record({
    ...layout,
    collectionStyle: fc.constant("block" as const),
    defaultStringType: fc.oneof(fc.constant("PLAIN" as const), quotes),
    defaultKeyType: fc.oneof(fc.constant("PLAIN" as const), quotes),
    blockQuote: fc.constant(false),
  }),
  fc.record({
    ...layout,
    collectionStyle: fc.constant("flow" as const),
    defaultStringType: quotes,
    defaultKeyType: quotes,
  }),
);
/** Characters with a meaning in YAML are frequent. */
const word = fc.string({
  unit: fc.oneof(
    fc.constantFrom(...":-?#&*!|>'\"%@,[]{} \n", "yes", "1", "~", "é", "😀"),
    fc.string({ maxLength: 3 }),
  ),
  maxLength: 12,
});
const { value: written } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    word,
    fc.oneof(fc.integer(), fc.boolean(), fc.constant(null), fc.constantFrom(0.5, -1e-7, 1e30)),
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(word, tie("value"), { maxKeys: 4, noNullPrototype: true }),
  ),
}));

/**
 * The encoding library inserts "undefined" where it folds a line behind an escape; no value contains it. It always writes
 * a key "<<" without quotes, whatever its options: that is a merge key.
 */
const MISWRITTEN = /undefined|<<: /;

describe("what another program writes", () => {
  test("is read as it was meant", () => {
    fc.assert(
      fc.property(written, style, (value, options) => {
        const text = stringify(value, { version: "1.1", ...options });
        fc.pre(!MISWRITTEN.test(text));
        expect(decodeYamlProper(text), text).toEqual({ value, duplicates: [] });
      }),
      runs(2000),
    );
  });

  test("is read as it was meant where items are named and named again", () => {
    fc.assert(
      fc.property(written, written, style, (value, other, options) => {
        const expected = { a: value, b: [other, value, other], c: value, d: other };
        const text = stringify(expected, { version: "1.1", ...options });
        fc.pre(!MISWRITTEN.test(text));
        expect(decodeYamlProper(text), text).toEqual({ value: expected, duplicates: [] });
      }),
      runs(500),
    );
  });
});

/** Each list contains the one before several times: few bytes that would expand to very many. */
function aliases(depth: number, width: number): string {
  const lines = Array.from({ length: depth }, (_, level) => {
    const item = level === 0 ? "x" : `*a${level - 1}`;
    return `a${level}: &a${level} [${Array.from({ length: width }, () => item).join(", ")}]`;
  });
  return lines.join("\n");
}
