// The suites in other languages, each against servers of its own. A suite is skipped if its language is not installed.
import { execFile, spawnSync } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { startEgret } from "../../support/egret-process.ts";

const SUITES = [
  { language: "Python, with its standard library only", command: "python3", file: "suite.py", holds: 17 },
  { language: "curl", command: "sh", file: "suite.sh", needs: "curl", holds: 13 },
];
const MINUTE_MS = 60_000;
const FLAGS = ["--in-memory", "--kubeconfig", "", "--controllers", ""];
const TWIN = [...FLAGS, "--seed", "7", "--clock", "2026-01-01T00:00:00Z"];

const isThere = (command: string): boolean => spawnSync(command, ["--version"]).error === undefined;

for (const { language, command, file, needs = command, holds } of SUITES) {
  test.skipIf(!isThere(needs))(`the control surface from ${language}`, { timeout: MINUTE_MS }, async () => {
    await using server = await startEgret([...FLAGS, "--retain", "all"]);
    await using first = await startEgret(TWIN);
    await using second = await startEgret(TWIN);
    const { stdout } = await promisify(execFile)(command, [join(import.meta.dirname, file)], {
      timeout: MINUTE_MS,
      env: { ...process.env, EGRET_URL: server.url, EGRET_TWINS: `${first.url} ${second.url}` },
    });
    const lines = stdout.trim().split("\n");
    expect(lines.filter((line) => !line.startsWith("ok "))).toEqual([]);
    expect(lines).toHaveLength(holds);
  });
}
