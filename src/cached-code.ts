// How the built command and package load their code: one file, and beside it what V8 made of it when it was built.
// Compiling would be half of a start. Another version of V8 refuses what it did not make, and compiles as ever.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { Script } from "node:vm";

type Wrapper = (
  exports: object,
  require: NodeJS.Require,
  module: object,
  file: string,
  folder: string,
) => void;

export interface LoadedCode {
  readonly exports: Record<string, unknown>;
  /** Its functions as they are compiled now, for the next time. */
  readonly script: Script;
}

/** Runs a file in CommonJS. */
export function loadCode(folder: string, name: string): LoadedCode {
  const file = join(folder, name);
  const cachedData = readIfThere(`${file}.cache`);
  // The file holds no character that Latin-1 would read otherwise; it is read faster so.
  const source = `(function (exports, require, module, __filename, __dirname) {${readFileSync(file, "latin1")}\n})`;
  const script = new Script(source, { filename: file, ...(cachedData ? { cachedData } : {}) });
  const module = { exports: {} };
  const run = script.runInThisContext() as Wrapper; // what the source says
  run(module.exports, createRequire(file), module, file, folder);
  return { exports: module.exports, script };
}

function readIfThere(file: string): Buffer | undefined {
  try {
    return readFileSync(file);
  } catch {
    return undefined;
  }
}
