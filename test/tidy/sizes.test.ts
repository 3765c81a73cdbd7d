// Files stay within a minimum and a maximum size. An exception has a reason, and may only shrink.
import { posix } from "node:path";
import { expect, test } from "vitest";
import { sourceFiles } from "./source-files.ts";

const LINES_MAX = 400;
const LINES_MIN = 5;

interface Exception {
  readonly max: number;
  readonly reason: string;
}

const SHORT_FILES: Readonly<Record<string, string>> = {
  "src/apiserver/http/tls/self-made.ts": "is known without loading what makes certificates",
  "src/apimachinery/patch/json-merge-patch.d.ts": "the types of a package that has none",
};

const LONG_FILES: Readonly<Record<string, Exception>> = {};

const files = sourceFiles("").filter(({ path }) => /^(src|test|scripts)\//.test(path));

/** A group has a folder however few kinds it has, so that a kind is found by its name. */
const isApiGroup = (folder: string): boolean => /^src\/kube\/[^/]+$/.test(folder);

const lineCount = (text: string): number => text.trimEnd().split("\n").length;

const filesPerFolder = new Map<string, number>();
for (const { path } of files) {
  const folder = posix.dirname(path);
  filesPerFolder.set(folder, (filesPerFolder.get(folder) ?? 0) + 1);
}

test("the files are read", () => {
  expect(files.length).toBeGreaterThan(20);
});

test(`no file has more than ${LINES_MAX} lines`, () => {
  const tooLong = files
    .map(({ path, text }) => ({ path, lines: lineCount(text) }))
    .filter(({ path, lines }) => lines > (LONG_FILES[path]?.max ?? LINES_MAX));
  expect(tooLong).toEqual([]);
});

test("no folder of src holds a single file, but for those of API groups", () => {
  const lonely = [...filesPerFolder]
    .filter(([folder, count]) => count === 1 && /^src\//.test(folder) && !isApiGroup(folder))
    .map(([folder]) => folder)
    .filter((folder) => ![...filesPerFolder.keys()].some((other) => other.startsWith(`${folder}/`)));
  expect(lonely).toEqual([]);
});

test(`no file of src has fewer than ${LINES_MIN} lines`, () => {
  const tooShort = files.filter(({ path, text }) => /^src\//.test(path) && lineCount(text) < LINES_MIN);
  expect(tooShort.map(({ path }) => path).filter((path) => !(path in SHORT_FILES))).toEqual([]);
});

test("every exception is still needed, and no higher than needed", () => {
  const lines = new Map(files.map(({ path, text }) => [path, lineCount(text)]));
  for (const [path, { max }] of Object.entries(LONG_FILES)) {
    expect(max, path).toBeGreaterThan(LINES_MAX);
    expect(lines.get(path), path).toBe(max);
  }
});
