// What a process has in memory.
import { readFileSync } from "node:fs";

/** Resident, in millions of bytes; 0 where the system does not tell. */
export function rssMegabytes(pid: number | undefined): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, "utf8");
    return (Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) * 1024) / 1e6;
  } catch {
    return 0;
  }
}
