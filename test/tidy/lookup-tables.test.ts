// A client's word that is looked up in an object literal can match an inherited property: `constructor`, `__proto__`. So a
// table is a Map or has no prototype (src/apimachinery/json/json.ts).
import { describe, expect, test } from "vitest";
import { type SourceFile, sourceFiles, withoutComments } from "./source-files.ts";

/** A top-level constant with arbitrary strings as its keys, and with an object literal as its value. */
const PLAIN_TABLE =
  /^(?:export )?const (\w+): (?:Readonly<|Partial<)*(?:Record<string,|\{ (?:readonly )?\[\w+: string\])[^;]*?[^=]= \{/gm;
/** {a: 1, b: 2}[word], and {...}[a.b]. */
const PLAIN_LOOKUP = /\}\[[a-z][\w.]*\]/g;

function plainTablesOf({ path, text }: SourceFile): string[] {
  const code = withoutComments(text);
  const tables = [...code.matchAll(PLAIN_TABLE)].map(([, name]) => `${path}: ${name}`);
  return [...tables, ...[...code.matchAll(PLAIN_LOOKUP)].map(([found]) => `${path}: ${found}`)];
}

describe("src", () => {
  const files = sourceFiles("src");

  test("is read", () => {
    expect(files.length).toBeGreaterThan(20);
  });

  test("looks no text up in a plain object", () => {
    expect(files.flatMap(plainTablesOf)).toEqual([]);
  });
});

describe("a plain table is found", () => {
  test.each([
    "const A: Readonly<Record<string, number>> = { a: 1 };",
    "export const A: Record<string, (x: number) => string> = {\n  a: String,\n};",
    "const A: Readonly<Partial<Record<string, Readonly<Record<string, number>>>>> = {};",
    "const A: { readonly [name: string]: number } = { a: 1 };",
    "function f(kind: string) {\n  return { a: 1 }[kind];\n}",
    "const b = { a: 1 }[ref.kind];",
  ])("%s", (text) => {
    expect(plainTablesOf({ path: "x.ts", text } as SourceFile)).toHaveLength(1);
  });

  test.each([
    "const A: Readonly<Record<string, number>> = lookupTable({ a: 1 });",
    'const A: Readonly<Record<"a" | "b", number>> = { a: 1, b: 2 };',
    "const A = new Map([[1, 2]]);\nconst B = { a: 1 };",
    "function f() {\n  const headers: Record<string, string> = { a: String(1) };\n}",
  ])("and this is none: %s", (text) => {
    expect(plainTablesOf({ path: "x.ts", text } as SourceFile)).toEqual([]);
  });
});
