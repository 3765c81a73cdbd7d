import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { DEEP_STACK } from "../../../../src/server/launch/node-flags.ts";

const MODULE = new URL("../../../../src/apimachinery/meta/max-nesting-depth.ts", import.meta.url).href;

/** What a Node with these flags says. */
async function levelsWith(flags: readonly string[], limits = ""): Promise<string> {
  const code = `import(${JSON.stringify(MODULE)}).then(({ levelsMax }) => console.log(levelsMax()))`;
  const node = [process.execPath, ...flags, "--import", "tsx", "-e", code];
  const { stdout } = await promisify(execFile)("bash", ["-c", `${limits} exec "$@"`, "bash", ...node]);
  return stdout.trim();
}

test("a stack that npm start asks for takes the 10,000 levels of a real server", async () => {
  expect(await levelsWith([DEEP_STACK])).toBe("10000");
});

test("the usual stack takes fewer", async () => {
  expect(await levelsWith([])).toBe("1000");
});

test("a system that has less stack than V8 is told of takes fewer, and the process goes on", async () => {
  expect(await levelsWith([DEEP_STACK], "ulimit -s 2048;")).toBe("1000");
});
