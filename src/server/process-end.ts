// Termination of a serving process: by a signal, or by the end of its parent process.
import process from "node:process";
import { systemClock } from "../apimachinery/meta/clock.ts";

const PARENT_LOOK_MS = 250;

/**
 * Resolves at the first SIGINT or SIGTERM. A second signal ends the process at once, as in a kube-apiserver:
 * acknowledged writes are on disk.
 */
export function signalled(): Promise<void> {
  return new Promise((resolve) => {
    let isTold = false;
    const tell = () => {
      if (isTold) process.exit(1);
      isTold = true;
      resolve();
    };
    process.on("SIGINT", tell);
    process.on("SIGTERM", tell);
  });
}

/**
 * Resolves once the parent process has ended; never after the signal aborts. An orphaned process gets another parent
 * without a notification, so the parent's ID is polled.
 */
export function endOfParent(signal?: AbortSignal): Promise<void> {
  const parent = process.ppid;
  return new Promise((resolve) => {
    const look = (): void => {
      if (signal?.aborted === true) return;
      if (process.ppid === parent) systemClock.after(PARENT_LOOK_MS, look);
      else resolve();
    };
    look();
  });
}
