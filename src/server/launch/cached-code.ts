// Loads the code of the built command and package: one bundle, and V8's code cache for it, which the build creates.
// Compiling would take half of the start time. A cache is valid for one V8 version only. For another one a process
// beside a started server compiles the code and stores the cache in a folder of the user.
import { createRequire } from "node:module";
import { join } from "node:path";
import { Script } from "node:vm";
import { keptInCache } from "./code-cache.ts";
import { compileBeside } from "./compile-beside.ts";
import { flagsName } from "./node-flags.ts";
import { readBytes } from "./read-bytes.ts";

/** Wraps a file's code so that it is an expression. */
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
  /** Changes with the text of the code. */
  readonly digest: string;
}

export interface LoadedCode {
  readonly exports: Record<string, unknown>;
  /** With its functions as compiled so far, as input for a cache. */
  readonly script: Script;
}

/** The exports of the built code. */
export function launch(built: BuiltCode): LoadedCode["exports"] {
  const { exports, script } = loadCode(
    built,
    (room) => keptInCache(built.digest, room) ?? shippedCache(built, room),
  );
  if (script.cachedDataRejected !== false) {
    const onceServing = exports["onceServing"] as (then: () => void) => void; // src/bundle.ts exports it
    const isRefused = script.cachedDataRejected === true;
    onceServing(() => compileBeside({ ...built, isRefused }));
  }
  return exports;
}

/** Runs a wrapped CommonJS file. V8 compiles whatever it cannot take from the cached data. */
export function loadCode(
  { folder, name }: BuiltCode,
  cacheIn: (room: Buffer) => Buffer | undefined = () => undefined,
): LoadedCode {
  const file = join(folder, name);
  // The file has only characters that Latin-1 decodes correctly; that is faster. V8 keeps the text outside its heap;
  // adding the wrapper here would create a second copy of several megabytes.
  const bytes = readBytes(file);
  const source = bytes.toString("latin1");
  const cachedData = cacheIn(bytes);
  const script = new Script(source, { filename: file, ...(cachedData ? { cachedData } : {}) });
  const module = { exports: {} };
  const run = script.runInThisContext() as Wrapper; // as the wrapper declares
  run(module.exports, createRequire(file), module, file, folder);
  return { exports: module.exports, script };
}

/** The file name of a shipped cache contains the version of V8 and its flags. */
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
