// A function has at most 70 lines, comments and JSX included: it fits a screen. Functions of tests are not measured: their
// callbacks hold whole suites.
import { SourceMap } from "node:module";
import { extname } from "node:path";
import { type AnyNode, parse } from "acorn";
import { type Loader, transformSync } from "esbuild";
import { describe, expect, test } from "vitest";
import { type SourceFile, sourceFiles } from "./source-files.ts";

const LINES_MAX = 70;
const FUNCTIONS: ReadonlySet<string> = new Set([
  "FunctionDeclaration",
  "FunctionExpression",
  "ArrowFunctionExpression",
]);

interface FunctionSize {
  readonly path: string;
  /** Line of the file, from 1. */
  readonly line: number;
  readonly lines: number;
}

/** All nodes of a syntax tree. */
function* nodesBelow(value: unknown): Generator<AnyNode> {
  if (typeof value !== "object" || value === null) return;
  if ("type" in value) yield value as AnyNode; // only nodes have a type
  for (const member of Object.values(value)) yield* nodesBelow(member);
}

/** The functions of a file. They are parsed without types, and measured in the file by the source map. */
function functionsOf({ path, text }: SourceFile): FunctionSize[] {
  const loader = extname(path).slice(1) as Loader; // sourceFiles() returns ts and tsx
  const { code, map } = transformSync(text, {
    loader,
    jsx: "automatic",
    sourcemap: "external",
    target: "esnext",
  });
  const source = new SourceMap(JSON.parse(map));
  const lineAt = ({ line, column }: { line: number; column: number }): number => {
    const entry = source.findEntry(line - 1, Math.max(0, column));
    return "originalLine" in entry ? entry.originalLine + 1 : 0;
  };
  const program = parse(code, { ecmaVersion: "latest", sourceType: "module", locations: true });
  return [...nodesBelow(program)].flatMap(({ type, loc }) => {
    if (!FUNCTIONS.has(type) || !loc) return [];
    const line = lineAt(loc.start);
    return [{ path, line, lines: lineAt({ ...loc.end, column: loc.end.column - 1 }) - line + 1 }];
  });
}

test(`no function has more than ${LINES_MAX} lines`, () => {
  const files = ["src", "scripts", "test/support"].flatMap(sourceFiles);
  const long = files
    .filter(({ path, text }) => !path.endsWith(".d.ts") && text.split("\n").length > LINES_MAX)
    .flatMap(functionsOf)
    .filter(({ lines }) => lines > LINES_MAX);
  expect(long).toEqual([]);
});

describe("a function is measured", () => {
  test.each<[what: string, text: string, lines: number[]]>([
    ["with its comments", "// one\nfunction f(): void {\n  // two\n\n}\n", [4]],
    [
      "as a member of a class",
      "class C {\n  readonly #a = 1;\n  f(): number {\n    return this.#a;\n  }\n}\n",
      [3],
    ],
    [
      "with the functions in it",
      "const f = () => {\n  const g = (): number => 1;\n  return g;\n};\n",
      [4, 1],
    ],
    ["with JSX", "const F = () => (\n  <p>\n    a\n  </p>\n);\n", [4]],
  ])("%s", (_what, text, lines) => {
    expect(functionsOf({ path: "a.tsx", text }).map((found) => found.lines)).toEqual(lines);
  });
});
