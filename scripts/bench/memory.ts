// Resident memory of a process.
import { readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { processMs } from "./process-time.ts";

const LOOK_MS = 250;
const LOOKS_MAX = 80;
/** Processor time below which a process counts as idle between two samples. */
const REST_MS = 10;

/** Resolves once the process is idle, or after this many samples: twenty seconds. */
export async function atRest(pid: number | undefined, looksMax = LOOKS_MAX): Promise<void> {
  let before = processMs(pid);
  for (let look = 0; look < looksMax; look++) {
    await delay(LOOK_MS);
    const now = processMs(pid);
    if (now - before <= REST_MS) return;
    before = now;
  }
}

/** Resident memory in megabytes (10⁶ bytes); 0 where /proc is not available. */
export function rssMegabytes(pid: number | undefined): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, "utf8");
    return (Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) * 1024) / 1e6;
  } catch {
    return 0;
  }
}
