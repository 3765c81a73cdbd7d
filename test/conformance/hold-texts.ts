// Turns the recorded texts into tests, one for each kind: all answers must be equal byte for byte, except listed ones.
import { beforeAll, describe, expect, test } from "vitest";
import { etcdProblem } from "../support/etcd.ts";
import { judge, readKnownDifferences } from "./runner/ratchet.ts";
import { failureText } from "./runner/report.ts";
import { runFile } from "./runner/run-file.ts";
import { TEXTS, textKinds } from "./runner/texts.ts";
import { type KeptIn, startEgret } from "./start-egret.ts";

export function holdTexts(keptIn: KeptIn = "memory"): void {
  const problem = keptIn === "etcd" ? etcdProblem() : undefined;
  const name = `${TEXTS}, kept in ${keptIn}${problem ? ` (left out: ${problem})` : ""}`;

  describe.skipIf(problem !== undefined)(name, () => {
    let outcomes: Awaited<ReturnType<typeof runFile>>["outcomes"];

    beforeAll(async () => {
      await using server = await startEgret(TEXTS, keptIn);
      ({ outcomes } = await runFile({ file: TEXTS, url: server.url, token: server.token }));
    });

    test.for(textKinds())("%s", (kind, { skip }) => {
      const ofKind = outcomes.filter(({ name }) => name.startsWith(`${kind}/`));
      const verdict = judge({ file: TEXTS, outcomes: ofKind }, readKnownDifferences());
      expect(verdict.unexpected.map((outcome) => failureText(outcome))).toEqual([]);
      expect(verdict.nowEqual, "now equal, remove it from known-differences.json").toEqual([]);
      if (verdict.known.length > 0) skip(`${verdict.known.length} of ${ofKind.length} unequal as listed`);
    });
  });
}
