// The bench works and measures what it names; how fast things are is for its own runs to say.
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const BENCH = join(import.meta.dirname, "../../scripts/bench.ts");
const RUN_MS_MAX = 60_000;

const OPERATIONS = [
  /^start to first answer, empty store$/,
  /^memory at rest/,
  /^EgressIP created to assigned/,
  /^create EgressIP$/,
  /^get EgressIP/,
  /^merge patch EgressIP$/,
  /^delete EgressIP$/,
  /^list \d+ EgressIPs$/,
  /^list \d+ EgressIPs as Table$/,
  /^list one in ten by label$/,
  /^watch: \d+ events/,
  /^SIGTERM to exit$/,
];

test("a quick run prints a row for every operation and writes them as JSON", {
  timeout: RUN_MS_MAX,
}, async () => {
  const folder = await mkdtemp(join(tmpdir(), "egret-bench-test-"));
  try {
    const json = join(folder, "bench.json");
    const args = ["--import", "tsx", BENCH, "--quick", "--json", json, "--folder", folder];
    const { stdout } = await promisify(execFile)(process.execPath, args, { timeout: RUN_MS_MAX });
    const { rows, quick } = JSON.parse(await readFile(json, "utf8"));
    expect(quick).toBe(true);
    for (const operation of OPERATIONS) {
      const row = rows.find((candidate: { operation: string }) => operation.test(candidate.operation));
      expect(row?.perSecond ?? row?.value, String(operation)).toBeGreaterThan(0);
      expect(stdout).toContain(row.operation);
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
