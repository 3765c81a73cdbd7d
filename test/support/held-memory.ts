// What is still in memory once all that nobody holds has gone.
import { setImmediate } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

export async function collectGarbage(): Promise<void> {
  await setImmediate(); // whoever has asked for something in this turn may hold it until its end
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  for (let round = 0; round < 2; round++) collect(); // the first one may only have found what the second one frees
}

/** Objects and the bytes of buffers, of this thread. */
export async function heldBytes(): Promise<number> {
  await collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
