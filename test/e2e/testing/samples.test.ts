// The sample projects work as their READMEs describe.
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { ConsumerProject } from "../../support/consumer-project.ts";
import { kubectlProblem } from "../../support/kubectl.ts";

const MAIN = join(import.meta.dirname, "../../../dist/main.js");
const SUITE = join(import.meta.dirname, "../../samples/shell/suite.sh");

test("the controller in TypeScript passes its tests", { timeout: 60_000 }, async () => {
  await using project = await ConsumerProject.create(["vitest", "@kubernetes/client-node"]);
  await project.copy("test/samples/typescript-controller");
  const { code, output } = await project.run(["node_modules/vitest/vitest.mjs", "run"]);
  expect(output).toMatch(/Tests +3 passed \(3\)/);
  expect(code).toBe(0);
});

test("the webhook in TypeScript passes its tests", { timeout: 60_000 }, async () => {
  await using project = await ConsumerProject.create(["vitest"]);
  await project.copy("test/samples/typescript-webhook");
  const { code, output } = await project.run(["node_modules/vitest/vitest.mjs", "run"]);
  expect(output).toMatch(/Tests +3 passed \(3\)/);
  expect(code).toBe(0);
});

test.skipIf(kubectlProblem() !== undefined)("the suite in shell passes", { timeout: 60_000 }, async () => {
  const args = [MAIN, "run", "--", "sh", SUITE];
  const { stdout, stderr } = await promisify(execFile)(process.execPath, args, { timeout: 60_000 });
  expect(stderr).toBe("");
  expect(
    stdout
      .trim()
      .split("\n")
      .map((line) => line.slice(0, 4)),
  ).toEqual(["ok -", "ok -", "ok -"]);
});
