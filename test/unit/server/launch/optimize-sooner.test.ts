import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { packageFile } from "../../../../src/apimachinery/meta/package-files.ts";

const SCRIPT = `
import { cachedDataVersionTag } from "node:v8";
import { optimizeSooner } from "./src/server/launch/optimize-sooner.ts";
const before = cachedDataVersionTag();
optimizeSooner();
console.log(before !== cachedDataVersionTag());`;

test("V8 of Node 20, and no other, is told to optimize sooner", async () => {
  const args = ["--import", "tsx", "--input-type=module", "--eval", SCRIPT];
  const { stdout, stderr } = await promisify(execFile)(process.execPath, args, { cwd: packageFile() });
  expect([stdout, stderr]).toEqual([`${process.versions.v8.startsWith("11.")}\n`, ""]); // the flags are a part of the tag
});
