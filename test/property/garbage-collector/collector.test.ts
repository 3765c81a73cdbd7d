// For any ownership, deletion order and propagation policy, once the collector is idle: no object remains whose owners are
// all deleted, no object with a live owner was deleted, and orphaned objects exist.
import fc from "fast-check";
import { expect, test } from "vitest";
import { Run, steps } from "./run.ts";

test("the collector takes what nobody owns any more, and nothing else", async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (history) => {
      const run = await Run.open();
      try {
        expect(await run.play(history)).toEqual([]);
      } finally {
        await run.close();
      }
    }),
    { numRuns: 150 },
  );
});
