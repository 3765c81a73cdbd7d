// Limit of the nesting depth of values. Recursive functions take one or more stack frames per level, so the limit
// depends on the stack of this process. `npm start` sets a stack that suffices for the 10,000 levels of a real server.
// Node's default stack overflows far earlier.
import { readFileSync } from "node:fs";

/** The limit of a real server for JSON; stored values are never deeper. */
export const LEVELS_MAX = 10_000;
/** The limit for Node's default stack size. */
export const LEVELS_OF_ANY_STACK = 1_000;
/** A trivial recursion must reach this depth, so that every real one reaches 10,000 levels. */
const PROBED_LEVELS = 20_000;
/** The stack size that V8 may use then, and the system must provide. */
const STACK_BYTES_MIN = 8 * 1024 * 1024;

let measured: number | undefined;

/** For worker threads, which have another stack: their results go to the server's thread. */
export function setLevelsMax(levels: number): void {
  measured = levels;
}

/** Limit of the depth of incoming lists and objects. */
export function levelsMax(): number {
  measured ??= hasDeepStack() ? LEVELS_MAX : LEVELS_OF_ANY_STACK;
  return measured;
}

function hasDeepStack(): boolean {
  let probe: unknown[] = [];
  for (let level = 0; level < PROBED_LEVELS; level++) probe = [probe];
  try {
    return systemAllows() && Array.isArray(walk(probe));
  } catch {
    return false;
  }
}

/** A typical recursion over a value. V8's own functions are no measure: newer versions write JSON without a stack. */
function walk(value: unknown): unknown {
  return Array.isArray(value) ? value.map(walk) : value;
}

/** V8 does not verify its configured stack size. If the system's limit is lower, an overflow ends the process. */
function systemAllows(): boolean {
  if (process.platform === "darwin") return true; // the main thread has 8 MB there
  try {
    const limits = readFileSync("/proc/self/limits", "utf8");
    const soft = /^Max stack size +(\S+)/m.exec(limits)?.[1];
    return soft === "unlimited" || Number(soft) >= STACK_BYTES_MIN;
  } catch {
    return false;
  }
}
