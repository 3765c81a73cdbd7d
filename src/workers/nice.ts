// Work in a thread gives way to the server's own thread, also where there are few processors.
import { readlinkSync } from "node:fs";
import { constants, setPriority } from "node:os";

/** Where the system can tell threads apart, which is Linux; elsewhere they have the priority of the process. */
export function lowerThreadPriority(): void {
  try {
    const [, thread] = /task\/(\d+)$/.exec(readlinkSync("/proc/thread-self")) ?? [];
    if (thread !== undefined) setPriority(Number(thread), constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // Nothing depends on it but how soon others are answered.
  }
}
