// YAML as clients may send it, and as somebody may who means harm: read or refused in bounded time, and never anything
// else.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { stringify } from "yaml";
import { decodeYaml, YamlSyntaxError } from "../../../src/apiserver/request/yaml.ts";
import { runs } from "../../support/fuzz-runs.ts";
import { HOSTILE_TEXTS, hostileText } from "./hostile-values.ts";

const READ_CPU_MS_MAX = 5000;

function readOrRefuse(text: string): void {
  const start = process.cpuUsage();
  try {
    decodeYaml(text);
  } catch (error) {
    expect(error, JSON.stringify(text)).toBeInstanceOf(YamlSyntaxError);
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
    ["many anchors", Array.from({ length: 20_000 }, (_, index) => `- &a${index} 1`).join("\n")],
  ])("of %s", (_, text) => readOrRefuse(text));
});

/** Each list holds the one before several times: few bytes that would become very many. */
function aliases(depth: number, width: number): string {
  const lines = Array.from({ length: depth }, (_, level) => {
    const item = level === 0 ? "x" : `*a${level - 1}`;
    return `a${level}: &a${level} [${Array.from({ length: width }, () => item).join(", ")}]`;
  });
  return lines.join("\n");
}
