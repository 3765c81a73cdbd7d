// Files and folders stay small enough to be read at once. An exception has a reason, and may only shrink.
import { posix } from "node:path";
import { expect, test } from "vitest";
import { sourceFiles } from "./source-files.ts";

const LINES_MAX = 400;
const FILES_IN_FOLDER_MAX = 15;

interface Exception {
  readonly max: number;
  readonly reason: string;
}

const LONG_FILES: Readonly<Record<string, Exception>> = {};

const FULL_FOLDERS: Readonly<Record<string, Exception>> = {};

const files = sourceFiles("").filter(({ path }) => /^(src|test|scripts)\//.test(path));

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

test(`no folder has more than ${FILES_IN_FOLDER_MAX} TypeScript files of its own`, () => {
  const tooFull = [...filesPerFolder]
    .map(([folder, count]) => ({ folder, count }))
    .filter(({ folder, count }) => count > (FULL_FOLDERS[folder]?.max ?? FILES_IN_FOLDER_MAX));
  expect(tooFull).toEqual([]);
});

test("every exception is still needed, and no higher than needed", () => {
  const lines = new Map(files.map(({ path, text }) => [path, lineCount(text)]));
  for (const [path, { max }] of Object.entries(LONG_FILES)) {
    expect(max, path).toBeGreaterThan(LINES_MAX);
    expect(lines.get(path), path).toBe(max);
  }
  for (const [folder, { max }] of Object.entries(FULL_FOLDERS)) {
    expect(max, folder).toBeGreaterThan(FILES_IN_FOLDER_MAX);
    expect(filesPerFolder.get(folder), folder).toBe(max);
  }
});
