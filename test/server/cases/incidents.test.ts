// The sample incidents run as written, and the README lists all of them.
import { readdirSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runCase } from "../../../src/testing/start-egret.ts";

const FOLDER = join(import.meta.dirname, "../../samples/incidents");
const FILES = readdirSync(FOLDER).filter((name) => name.endsWith(".yaml"));

test.each(FILES)("%s", async (name) => {
  const { facts } = await runCase(join(FOLDER, name));
  expect(facts.length).toBeGreaterThan(2);
});

test("each has its row in the README, and tells what people saw", async () => {
  const readme = await readFile(join(FOLDER, "README.md"), "utf8");
  const rows = [...readme.matchAll(/^\| \[([\w-]+\.yaml)\]\(\1\)/gm)].map(([, name]) => name);
  expect(rows.sort()).toEqual([...FILES].sort());
  for (const name of FILES) {
    const text = await readFile(join(FOLDER, name), "utf8");
    for (const part of ["What people saw:", "What was wrong:", "What helped:"]) expect(text).toContain(part);
  }
});
