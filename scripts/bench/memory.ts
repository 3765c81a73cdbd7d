// What a process has in memory.
import { readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";

const LOOK_MS = 250;
const LOOKS_MAX = 80;

/** Resolves once the process has done next to nothing for a moment, or after so many looks: twenty seconds. */
export async function atRest(pid: number | undefined, looksMax = LOOKS_MAX): Promise<void> {
  let before = cpuTicks(pid);
  for (let look = 0; look < looksMax; look++) {
    await delay(LOOK_MS);
    const now = cpuTicks(pid);
    if (now - before <= 1) return;
    before = now;
  }
}

/** Processor time so far; 0 where the system does not tell. */
export const cpuSeconds = (pid: number | undefined): number => cpuTicks(pid) / 100;

/** Processor time so far, in ticks of mostly ten milliseconds; 0 where the system does not tell. */
function cpuTicks(pid: number | undefined): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
      .replace(/^.*\) /, "")
      .split(" ");
    return Number(fields[11]) + Number(fields[12]);
  } catch {
    return 0;
  }
}

/** Resident, in millions of bytes; 0 where the system does not tell. */
export function rssMegabytes(pid: number | undefined): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, "utf8");
    return (Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) * 1024) / 1e6;
  } catch {
    return 0;
  }
}
