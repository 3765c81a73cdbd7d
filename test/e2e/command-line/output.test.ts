// Output of commands is complete, however slowly it is read; a reader may close the pipe early.
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const MAIN = join(import.meta.dirname, "../../../dist/main.js");
const EXPORT = `"${process.execPath}" "${MAIN}" export --full`;

async function inShell(script: string): Promise<{ stdout: string; stderr: string }> {
  const args = [MAIN, "run", "--controllers=", "--", "sh", "-c", script];
  return await promisify(execFile)(process.execPath, args, { timeout: 60_000 });
}

test("an export through a pipe is as long as one into a file", async () => {
  const { stdout } = await inShell(
    `${EXPORT} | (sleep 1; wc -c); ${EXPORT} > "$KUBECONFIG.out"; wc -c < "$KUBECONFIG.out"`,
  );
  const [piped, filed] = stdout.trim().split("\n").map(Number);
  expect(filed).toBeGreaterThan(100_000);
  expect(piped).toBe(filed);
});

test("who reads one line only is no failure", async () => {
  const { stdout, stderr } = await inShell(`${EXPORT} | head -n 1`);
  expect({ stdout, stderr }).toEqual({ stdout: "apiVersion: v1\n", stderr: "" });
});
