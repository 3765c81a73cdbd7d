// What the README of cases shows is what is there, and what is printed.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runEgret } from "../support/egret-process.ts";

const ROOT = new URL("../../", import.meta.url).pathname;
const readme = await readFile(join(ROOT, "src/cases/README.md"), "utf8");

test("the example is the file that it names", async () => {
  const [, path = "", block] = /^`([^`]+\.yaml)`.*\n\n```yaml\n([\s\S]*?)```/m.exec(readme) ?? [];
  expect(block).toBe(await readFile(join(ROOT, path), "utf8"));
});

test("what is printed of it is what is shown", async () => {
  const [, words = "", printed] = /```console\n\$ node dist\/main\.js (.*)\n([\s\S]*?)```/.exec(readme) ?? [];
  const { code, stdout, stderr } = await runEgret(words.split(" "), { cwd: ROOT });
  expect({ code, stdout, stderr }).toEqual({ code: 1, stdout: printed, stderr: "" });
});
