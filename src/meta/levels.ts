// How deep a value may be nested. Everything that walks a value calls itself once or more for each level, so the answer is
// in the stack of this process. `npm start` gives it one on which the 10,000 levels of a real server can be walked; the
// usual one of Node ends long before that, and a request would end with it.
import { readFileSync } from "node:fs";

/** Deeper than this a real server reads no JSON; what is in a store is never deeper. */
export const LEVELS_MAX = 10_000;
/** What can be done with the stack that Node has unless it is told otherwise. */
export const LEVELS_OF_ANY_STACK = 1_000;
/** A plain walk takes so many levels only on a stack on which 10,000 can be walked by all that walks values. */
const PROBED_LEVELS = 20_000;
/** What V8 may use of the stack then, and what the system has to give it. */
const STACK_BYTES_MIN = 8 * 1024 * 1024;

let measured: number | undefined;

/** For threads beside the server's, whose stack is another: what they read goes to the server's. */
export function setLevelsMax(levels: number): void {
  measured = levels;
}

/** How many levels of lists and objects may come in. */
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

/** As most of what walks values does. What V8 does itself is no measure: its newer ones write JSON without a stack. */
function walk(value: unknown): unknown {
  return Array.isArray(value) ? value.map(walk) : value;
}

/** V8 believes what it is told of the stack. Where the system ends it earlier, that would be the end of the process. */
function systemAllows(): boolean {
  if (process.platform === "darwin") return true; // it has eight megabytes there
  try {
    const limits = readFileSync("/proc/self/limits", "utf8");
    const soft = /^Max stack size +(\S+)/m.exec(limits)?.[1];
    return soft === "unlimited" || Number(soft) >= STACK_BYTES_MIN;
  } catch {
    return false;
  }
}
