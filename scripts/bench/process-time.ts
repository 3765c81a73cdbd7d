// The processor time of a server process: of all its threads, and of the one that runs its event loop.
import { readFileSync } from "node:fs";
import type { Sample } from "./measure.ts";

const TICK_MS = 10;

/** Processor time so far, of all threads; 0 where /proc is not available. */
export const processMs = (pid: number | undefined): number => msOf(`/proc/${pid}/stat`);

/** Of the first thread, which runs the event loop. */
const mainThreadMs = (pid: number | undefined): number => msOf(`/proc/${pid}/task/${pid}/stat`);

/** User and system time together, from ticks of ten milliseconds. */
function msOf(path: string): number {
  try {
    const fields = readFileSync(path, "utf8")
      .replace(/^.*\) /, "")
      .split(" ");
    return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
  } catch {
    return 0;
  }
}

/** Adds the processor time of that process to the sample; without a process the sample is unchanged. */
export async function metered(pid: number | undefined, take: () => Promise<Sample>): Promise<Sample> {
  if (processMs(pid) === 0) return await take();
  const [all, main] = [processMs(pid), mainThreadMs(pid)];
  const sample = await take();
  return { ...sample, cost: { processMs: processMs(pid) - all, mainThreadMs: mainThreadMs(pid) - main } };
}
