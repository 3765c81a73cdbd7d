// Creates V8's code cache for the next start, if the build shipped none for this V8 and its flags. Serializing the
// cache blocks V8 for up to a second, so a separate process does it; the server's thread is not affected.
import type { ChildProcess } from "node:child_process";
import { join } from "node:path";
import { claimCache } from "./code-cache.ts";

/** Built from src/compile.ts. */
const PROGRAM = "compile.js";
/** Leaves the processor to servers. */
const LOWEST_PRIORITY = 19;

export interface Beside {
  readonly folder: string;
  readonly digest: string;
  /** V8 rejected the existing cache. */
  readonly isRefused: boolean;
}

/** Does nothing if no folder can hold the cache, or if another process creates it or has created it meanwhile. */
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
