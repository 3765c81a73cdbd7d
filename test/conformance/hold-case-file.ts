// Turns the cases of one file into tests. Each runs against a server that the file has for itself; a known difference
// counts as skipped, so that nothing unequal is ever counted as passed.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { etcdProblem } from "../support/etcd.ts";
import { readCaseFile } from "./runner/case-file.ts";
import { compareCase } from "./runner/compare.ts";
import { entryOf, readKnownDifferences } from "./runner/ratchet.ts";
import { failureText } from "./runner/report.ts";
import { runCase } from "./runner/run-case.ts";
import { Target } from "./runner/target.ts";
import { type KeptIn, type StartedServer, startEgret } from "./start-egret.ts";

/** Beside the time that a case waits. */
const CASE_TIMEOUT_MS = 60_000;
/** Writes of one case can fall into different seconds, by which managedFields are sorted: not so twice in a row. */
const RETRIES = 1;

/** Of a file that takes long: this part, counted from 1, of so many; each has a server for itself. */
export interface Part {
  readonly part: number;
  readonly of: number;
}

export function holdCaseFile(
  file: string,
  { part, of }: Part = { part: 1, of: 1 },
  keptIn: KeptIn = "memory",
): void {
  const cases = readCaseFile(file).filter((_case, index) => index % of === part - 1);
  const known = readKnownDifferences()[file] ?? {};

  const problem = keptIn === "etcd" ? etcdProblem() : undefined;
  const name =
    keptIn === "memory" ? file : `${file}, kept in ${keptIn}${problem ? ` (left out: ${problem})` : ""}`;

  describe.skipIf(problem !== undefined)(name, () => {
    let server: StartedServer;
    let target: Target;

    beforeAll(async () => {
      server = await startEgret(file, keptIn);
      target = new Target(server.url, server.token);
    });

    afterAll(async () => {
      target?.close();
      await server?.[Symbol.asyncDispose]();
    });

    const waitsMs = cases.flatMap(({ steps }) => steps.map(({ sleep = 0 }) => sleep));
    const timeout = CASE_TIMEOUT_MS + Math.max(...waitsMs);
    test.for(cases)("$name", { timeout, retry: RETRIES }, async (testCase, { skip }) => {
      const outcome = compareCase(testCase, await runCase(testCase, target));
      const entry = entryOf(known, testCase.name);
      if (entry === undefined) {
        expect(outcome.equal, failureText(outcome)).toBe(true);
      } else {
        expect(outcome.equal, "now equal, remove it from known-differences.json").toBe(false);
        skip(known[entry]);
      }
    });
  });
}
