// The drawings of src/README.md are true: a server that does the drawn work uses every file that they name.
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { DEEP_STACK } from "../../../src/server/launch/node-flags.ts";

const run = promisify(execFile);
const TOOL = fileURLToPath(new URL("../../support/files-passed.ts", import.meta.url));
const README = new URL("../../../src/README.md", import.meta.url);

/** The files that the drawing names. */
async function drawn(what: string): Promise<string[]> {
  const readme = await readFile(README, "utf8");
  const [, drawing = ""] = new RegExp(`^\`\`\`drawing ${what}\n(.*?)^\`\`\`$`, "ms").exec(readme) ?? [];
  return [...drawing.matchAll(/[\w./-]+\.ts\b/g)].map(([file]) => `src/${file}`);
}

async function passed(what: string): Promise<string[]> {
  const { stdout } = await run(process.execPath, [DEEP_STACK, "--import", "tsx", TOOL, what]);
  return JSON.parse(stdout) as string[];
}

/** The most files that a reader has to open to follow a write through the code. */
const FILES_OF_WRITE_MAX = 30;

test("a write is handed on by few files", async () => {
  expect(new Set(await drawn("write")).size).toBeLessThanOrEqual(FILES_OF_WRITE_MAX);
});

test.each(["write", "watch", "assignment"])("of %s", async (what) => {
  const [named, files] = await Promise.all([drawn(what), passed(what)]);
  expect(named.length).toBeGreaterThan(8);
  expect(named.filter((file) => !files.includes(file))).toEqual([]);
});
