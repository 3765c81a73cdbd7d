// Parsers that read files get each input as a file.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

let folder: string | undefined;

/** The path of a file with these bytes; the next call replaces it. */
export function fileWith(bytes: Uint8Array, name: string): string {
  if (folder === undefined) {
    const made = mkdtempSync(join(tmpdir(), "egret-parsers-"));
    folder = made;
    process.once("exit", () => rmSync(made, { recursive: true, force: true }));
  }
  const path = join(folder, name);
  writeFileSync(path, bytes);
  return path;
}
