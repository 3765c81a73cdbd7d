// Turns a part of the recorded webhook cases into tests, on a server of its own. A known difference counts as skipped, so
// that no unequal case ever counts as passed.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Part } from "./hold-case-file.ts";
import { entryOf, readKnownDifferences } from "./runner/ratchet.ts";
import { failureText } from "./runner/report.ts";
import { Target } from "./runner/target.ts";
import { WEBHOOKS } from "./runner/webhooks/case-book.ts";
import { compareHookCase } from "./runner/webhooks/run-hook-case.ts";
import { WebhookRuns, webhookCases } from "./runner/webhooks/run-webhooks.ts";
import { type StartedServer, startEgret } from "./start-egret.ts";

/** managedFields show when two writes fall into different seconds: unlikely twice in a row. */
const RETRIES = 1;

export function holdWebhooks({ part, of }: Part): void {
  const cases = webhookCases().filter((_case, index) => index % of === part - 1);
  const known = readKnownDifferences()[WEBHOOKS] ?? {};

  describe(`${WEBHOOKS}, part ${part} of ${of}`, () => {
    let server: StartedServer;
    let target: Target;
    let runs: WebhookRuns;

    beforeAll(async () => {
      server = await startEgret(WEBHOOKS);
      target = new Target(server.url, server.token);
      runs = await WebhookRuns.open(target);
    });

    afterAll(async () => {
      await runs?.[Symbol.asyncDispose]();
      target?.close();
      await server?.[Symbol.asyncDispose]();
    });

    test.for(cases)("$name", { retry: RETRIES }, async (testCase, { skip }) => {
      const outcome = compareHookCase(testCase, await runs.run(testCase));
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
