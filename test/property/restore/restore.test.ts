// A state that was idle when it was saved is restored to the byte and stays so, however long the test waits and whatever
// controllers have learned since. The same holds when controllers start again on the stored state. Watches that were open
// throughout have received how each state came about. FC_SEED repeats the runs of a seed.
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { SavedState } from "../../../src/features/state/state-keeper.ts";
import type { EgretServer } from "../../../src/testing/egret-server.ts";
import { startEgret } from "../../../src/testing/start-egret.ts";
import { runs } from "../../support/fuzz-runs.ts";
import { CLUSTERS } from "./clusters.ts";
import { Mirrors } from "./mirrors.ts";
import { beginningOf, kindOf, type Step, stepsOf, take } from "./steps.ts";

interface Story {
  readonly beginning: readonly Step[];
  readonly before: readonly Step[];
  readonly after: readonly Step[];
}

const LONG_MS = 3 * 60_000;
/** After so many starts no further work is found. */
const STARTS = 3;
const TIMEOUT_MS = 240_000;

const contentOf = ({ items }: SavedState): Record<string, string> =>
  Object.fromEntries([...items].map(([key, { value }]) => [key, Buffer.from(value).toString()]));

/** The differences by key: the whole would not be readable. */
function differences(now: SavedState, saved: SavedState): Record<string, unknown> {
  const [a, b] = [contentOf(now), contentOf(saved)];
  const keys = [...new Set([...Object.keys(a), ...Object.keys(b)])].filter((key) => a[key] !== b[key]);
  return Object.fromEntries(keys.map((key) => [key, { now: a[key], saved: b[key] }]));
}

/** Runs everything that is due within minutes. */
async function rest(server: EgretServer): Promise<void> {
  await server.clock.settle();
  await server.clock.advance(LONG_MS);
  await server.clock.settle();
}

/** False where a controller retries for ever: such a state never becomes idle. */
async function comesToRest(server: EgretServer, looksAgain: boolean): Promise<boolean> {
  await rest(server);
  for (let round = 0; looksAgain && round < STARTS; round++) {
    await server.restore(server.snapshot());
    await rest(server);
  }
  const before = server.snapshot();
  await rest(server);
  return Object.keys(differences(server.snapshot(), before)).length === 0;
}

describe.each(CLUSTERS)("in a cluster $name", ({ options, subjects, looksAgain = false }) => {
  let server: EgretServer;
  let mirrors: Mirrors;
  beforeAll(async () => {
    server = await startEgret({ clock: "frozen", controllers: ["*"], server: options ?? {} });
    const kinds = new Set([...subjects.map(({ object }) => kindOf(object)), "v1/Event"]);
    mirrors = await Mirrors.open(server, kinds);
  });
  afterAll(async () => {
    await mirrors?.close();
    await server?.close();
  });

  const staysAsSaved = async (saved: SavedState) => {
    expect(differences(server.snapshot(), saved)).toEqual({});
    await rest(server);
    expect(differences(server.snapshot(), saved)).toEqual({});
    await mirrors.check();
  };

  test(
    "what was at rest stays as it was saved",
    async () => {
      const story = fc.record({
        beginning: beginningOf(subjects),
        before: stepsOf(subjects),
        after: stepsOf(subjects),
      });
      let compared = 0;
      const play = async ({ beginning, before, after }: Story) => {
        await server.reset();
        for (const step of [...beginning, ...before]) await take(server, step);
        if (!(await comesToRest(server, looksAgain))) return;
        compared++;
        const saved = server.snapshot();
        await server.restore(saved);
        await staysAsSaved(saved);
        for (const step of after) await take(server, step);
        await server.restore(saved);
        await staysAsSaved(saved);
      };
      const property = fc.asyncProperty(story, play);
      const { numRuns, ...seed } = runs(10);
      await fc.assert(property, { numRuns, ...seed, endOnFailure: false });
      expect(compared).toBeGreaterThan(numRuns / 2);
    },
    TIMEOUT_MS,
  );
});
