import { existsSync } from "node:fs";
import { mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { makeFolder } from "../../../../src/apimachinery/meta/folders.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "egret-folders-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

test("all that is missing is made, with its mode, and what is there stays", async () => {
  const inner = join(folder, "a", "b", "c");
  makeFolder(inner, 0o700);
  await writeFile(join(inner, "kept"), "");
  makeFolder(inner, 0o700);
  expect(((await stat(join(folder, "a"))).mode & 0o777).toString(8)).toBe("700");
  expect(existsSync(join(inner, "kept"))).toBe(true);
});

test("a file in its way is told", async () => {
  await writeFile(join(folder, "file"), "");
  expect(() => makeFolder(join(folder, "file", "inner"))).toThrow(/ENOTDIR/);
  expect(() => makeFolder(join(folder, "file"))).toThrow(/EEXIST/);
});

// Node's own way does not come back from there.
test.skipIf(!existsSync("/proc/self"))("a place that takes no folders is told", () => {
  expect(() => makeFolder("/proc/egret/data")).toThrow(/ENOENT/);
});
