// How fast this machine is just now. Goals in milliseconds are for one on which Node starts in 80 ms; a shared or throttled one
// takes two or three times as long for everything, whatever the code does.
import { spawnSync } from "node:child_process";
import process from "node:process";

const NODE_START_MS = 80;
const TRIES = 7;
/** A machine that is slower still is too slow to judge by. */
const SLOWNESS_MAX = 3;

/** 1 on such a machine or a faster one, 2 where all takes twice as long. */
export function slowness(): number {
  const tookMs = Array.from({ length: TRIES }, () => {
    const startMs = performance.now();
    spawnSync(process.execPath, ["-e", "0"], { env: { ...process.env, NODE_OPTIONS: "" } });
    return performance.now() - startMs;
  });
  return Math.min(Math.max(Math.min(...tookMs) / NODE_START_MS, 1), SLOWNESS_MAX);
}
