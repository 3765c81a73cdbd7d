// What ends a process that serves: a signal, or the end of the process that has started it.
import process from "node:process";
import { systemClock } from "../meta/clock.ts";

const PARENT_LOOK_MS = 250;

/**
 * Resolves at the first SIGINT or SIGTERM. The second ends the process at once, as in a kube-apiserver: what the store has
 * acknowledged is on the disk.
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
 * Resolves once the process is gone that has started this one; never after the signal aborts. A process whose parent dies is
 * given another one, without a notification.
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
