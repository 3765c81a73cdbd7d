// Runs every job of the worker pool at once in the thread of the caller.
import { openKept, type Workers } from "../../src/apimachinery/workers/job.ts";

export const inThisThread: Workers = {
  of: () => inThisThread,
  run: async (job, input) => job.run(input, undefined),
  runWith: async (job, input, kept) => job.run(input, openKept(job, await kept.bytes())),
};
