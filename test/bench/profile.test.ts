// Totals of a profile by function and by file.
import { expect, test } from "vitest";
import { type Sum, sumsOf } from "../../scripts/bench/profile/sums.ts";

const frame = (functionName: string, url = "", lineNumber = 0) => ({ functionName, url, lineNumber });
const named = (sums: readonly Sum[], name: string) => sums.find((sum) => sum.name === name);

/** (root) → walk → walk → leaf of another file; each sample holds until the next one. */
const CPU = {
  nodes: [
    { id: 1, callFrame: frame("(root)"), children: [2, 5] },
    { id: 2, callFrame: frame("walk", "file:///home/me/egret/src/a.ts", 9), children: [3] },
    { id: 3, callFrame: frame("walk", "file:///home/me/egret/src/a.ts", 9), children: [4] },
    { id: 4, callFrame: frame("", "file:///home/me/egret/node_modules/ajv/b.js", 0) },
    { id: 5, callFrame: frame("(idle)") },
  ],
  samples: [2, 3, 4, 5, 2],
  timeDeltas: [500, 1000, 2000, 3000, 4000],
};

test("processor time: a function that calls itself counts once in what it takes with all it calls", () => {
  const { unit, busy, idle, functions, files } = sumsOf(JSON.stringify(CPU));
  expect({ unit, busy, idle }).toEqual({ unit: "ms", busy: 6, idle: 4 });
  expect(named(functions, "walk src/a.ts:10")).toMatchObject({ self: 3, total: 6 });
  expect(named(functions, "(anonymous) node_modules/ajv/b.js:1")).toMatchObject({ self: 3, total: 3 });
  expect(named(files, "src/a.ts")).toMatchObject({ self: 3, total: 6 });
  expect(named(files, "(idle)")).toMatchObject({ self: 4 });
});

test("allocations: sizes in kilobytes", () => {
  const leaf = { callFrame: frame("make", "/home/me/egret/dist/egret.cjs", 4), selfSize: 3000, children: [] };
  const head = { callFrame: frame("(root)"), selfSize: 0, children: [leaf, leaf] };
  const { unit, busy, functions } = sumsOf(JSON.stringify({ head, samples: [] }));
  expect({ unit, busy }).toEqual({ unit: "kB", busy: 6 });
  expect(named(functions, "make dist/egret.cjs:5")).toMatchObject({ self: 6, total: 6 });
});

test("another file is refused", () => {
  expect(() => sumsOf("{}")).toThrow("the file is no profile");
});
