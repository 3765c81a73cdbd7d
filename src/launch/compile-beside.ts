// What V8 makes of the code, for the next start, where the build shipped nothing for this V8 and its flags. Writing it down
// takes V8 one piece of up to a second, so that a process of its own does it: the thread that serves does none of it.
import type { ChildProcess } from "node:child_process";
import { join } from "node:path";
import { claimCache } from "./code-cache.ts";

/** What the build makes of src/compile.ts. */
const PROGRAM = "compile.js";
/** The processor is for those that serve. */
const LOWEST_PRIORITY = 19;

export interface Beside {
  readonly folder: string;
  readonly digest: string;
  /** What is kept was refused by V8. */
  readonly isRefused: boolean;
}

/** Does nothing where no folder can take it, and where another process makes it or has made it meanwhile. */
export function compileBeside({ folder, digest, isRefused }: Beside): void {
  if (process.platform === "win32" || !claimCache(digest, isRefused)) return; // there are no private sockets
  const { spawn } = process.getBuiltinModule("node:child_process");
  const child = spawn(process.execPath, [...process.execArgv, join(folder, PROGRAM)], { stdio: "ignore" });
  child.on("error", () => {});
  child.unref();
  lowerPriority(child);
  const end = () => void child.kill();
  process.once("exit", end);
  child.once("exit", () => process.off("exit", end));
}

function lowerPriority({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.getBuiltinModule("node:os").setPriority(pid, LOWEST_PRIORITY);
  } catch {
    // It has ended, or the system has no priorities.
  }
}
