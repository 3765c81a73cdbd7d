// Runs the bench in its quick mode. Returns its output.
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";

const BENCH = join(import.meta.dirname, "../../scripts/bench.ts");
export const RUN_MS_MAX = 120_000;

export async function runBench(...flags: readonly string[]): Promise<string> {
  const args = ["--import", "tsx", BENCH, "--quick", ...flags];
  const { stdout } = await promisify(execFile)(process.execPath, args, { timeout: RUN_MS_MAX });
  return stdout;
}
