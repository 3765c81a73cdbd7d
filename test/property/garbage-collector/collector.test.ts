// Whatever is owned by whom, and in whatever order and with whatever policy it is deleted: once all is quiet, nothing is
// left whose owners are all gone, nothing went that had a living owner, and what was left behind is there.
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
