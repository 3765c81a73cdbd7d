// Files never import each other in a cycle, types included, so that each can be read after the files that it imports.
import { describe, expect, test } from "vitest";
import { importsOf, type SourceFile, sourceFiles } from "./source-files.ts";

type Imports = ReadonlyMap<string, readonly string[]>;

/** Groups of files that all reach each other, by Tarjan's algorithm. */
function circlesOf(imports: Imports): string[][] {
  const circles: string[][] = [];
  const indexes = new Map<string, number>();
  const lows = new Map<string, number>();
  const stack: string[] = [];
  const visit = (file: string): number => {
    const index = indexes.size;
    indexes.set(file, index);
    lows.set(file, index);
    stack.push(file);
    for (const target of imports.get(file) ?? []) {
      const low = indexes.has(target) ? stack.includes(target) && lows.get(target) : visit(target);
      if (typeof low === "number") lows.set(file, Math.min(lows.get(file) ?? index, low));
    }
    if (lows.get(file) === index) circles.push(stack.splice(stack.indexOf(file)));
    return lows.get(file) ?? index;
  };
  for (const file of imports.keys()) if (!indexes.has(file)) visit(file);
  return circles.filter(({ length }) => length > 1);
}

function readImports(files: readonly SourceFile[]): Imports {
  const paths = new Set(files.map(({ path }) => path));
  return new Map(files.map((file) => [file.path, importsOf(file).filter((target) => paths.has(target))]));
}

test("there are no circles of imports in src", () => {
  expect(circlesOf(readImports(sourceFiles("src")))).toEqual([]);
});

describe("a circle is found", () => {
  test.each<[what: string, imports: Record<string, string[]>, circles: string[][]]>([
    ["of two", { a: ["b"], b: ["a"] }, [["a", "b"]]],
    ["of three, beside others", { x: ["a"], a: ["b", "y"], b: ["c"], c: ["a"], y: [] }, [["a", "b", "c"]]],
    ["but not where two ways meet", { a: ["b", "c"], b: ["d"], c: ["d"], d: [] }, []],
  ])("%s", (_what, imports, circles) => {
    expect(circlesOf(new Map(Object.entries(imports))).map((circle) => circle.sort())).toEqual(circles);
  });
});
