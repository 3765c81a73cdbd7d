// Measures the memory that is still reachable after a garbage collection.
import { setImmediate } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

export async function collectGarbage(): Promise<void> {
  await setImmediate(); // a caller in this event-loop turn may hold an object until the turn ends
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  for (let round = 0; round < 2; round++) collect(); // the second round frees what the first one has only found
}

/** Objects and the bytes of buffers, of this thread. */
export async function heldBytes(): Promise<number> {
  await collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
