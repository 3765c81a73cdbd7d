// How the built command and package load their code: one file, and beside it what V8 made of it when it was built.
// Compiling would be half of a start. Another V8 than that of the build does not understand what that one made; what it
// makes itself is kept in a folder of the user's: a process beside a server that has started makes it.
import { createRequire } from "node:module";
import { join } from "node:path";
import { Script } from "node:vm";
import { keptInCache } from "./code-cache.ts";
import { compileBeside } from "./compile-beside.ts";
import { flagsName } from "./node-flags.ts";
import { readBytes } from "./read-bytes.ts";

/** What stands around the code of a file, which is an expression so. */
export const WRAPPER = {
  before: "(function (exports, require, module, __filename, __dirname) {",
  behind: "})",
};

type Wrapper = (
  exports: object,
  require: NodeJS.Require,
  module: object,
  file: string,
  folder: string,
) => void;

export interface BuiltCode {
  readonly folder: string;
  readonly name: string;
  /** Another text has another one. */
  readonly digest: string;
}

export interface LoadedCode {
  readonly exports: Record<string, unknown>;
  /** Its functions as they are compiled now, for the next time. */
  readonly script: Script;
}

/** The exports of the built code. */
export function launch(built: BuiltCode): LoadedCode["exports"] {
  const { exports, script } = loadCode(
    built,
    (room) => keptInCache(built.digest, room) ?? shippedCache(built, room),
  );
  if (script.cachedDataRejected !== false) {
    const onceServing = exports["onceServing"] as (then: () => void) => void; // src/bundle.ts names it so
    const isRefused = script.cachedDataRejected === true;
    onceServing(() => compileBeside({ ...built, isRefused }));
  }
  return exports;
}

/** Runs a file in CommonJS that has its wrapper. V8 compiles anew what it cannot take from the cached data. */
export function loadCode(
  { folder, name }: BuiltCode,
  cacheIn: (room: Buffer) => Buffer | undefined = () => undefined,
): LoadedCode {
  const file = join(folder, name);
  // The file holds no character that Latin-1 would read otherwise; it is read faster so. Its text lies beside V8's heap: a
  // wrapper that is added here would make a second one of megabytes.
  const bytes = readBytes(file);
  const source = bytes.toString("latin1");
  const cachedData = cacheIn(bytes);
  const script = new Script(source, { filename: file, ...(cachedData ? { cachedData } : {}) });
  const module = { exports: {} };
  const run = script.runInThisContext() as Wrapper; // what the source says
  run(module.exports, createRequire(file), module, file, folder);
  return { exports: module.exports, script };
}

/** What the build keeps beside the code has the name of the V8 that made it, and of its flags. */
export function shippedCacheFile({ folder, name }: BuiltCode, flags = flagsName()): string {
  return join(folder, `${name}.${process.versions.v8}-${process.arch}${flags}.cache`);
}

function shippedCache(built: BuiltCode, room: Buffer): Buffer | undefined {
  try {
    return readBytes(shippedCacheFile(built), room);
  } catch {
    return undefined;
  }
}
