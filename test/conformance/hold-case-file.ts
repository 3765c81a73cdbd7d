// Turns the cases of one file into tests. Each file has a server of its own; a known difference counts as skipped, so that
// no unequal case ever counts as passed.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { etcdProblem } from "../support/etcd.ts";
import { readCaseFile } from "./runner/case-file.ts";
import { compareCase } from "./runner/compare.ts";
import { entryOf, readKnownDifferences } from "./runner/ratchet.ts";
import { failureText } from "./runner/report.ts";
import { runCase } from "./runner/run-case.ts";
import { Target } from "./runner/target.ts";
import { type KeptIn, type StartedServer, startEgret } from "./start-egret.ts";

/** In addition to the waiting time of the case. */
const CASE_TIMEOUT_MS = 60_000;
/** managedFields are sorted by time, so writes in different seconds change the order: unlikely twice in a row. */
const RETRIES = 1;

/** A part of a file that takes long, counted from 1; each part has a server of its own. */
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
