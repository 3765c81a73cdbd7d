// The files of the repository, without what is installed or built.
import { existsSync, readdirSync, statSync } from "node:fs";
import { posix } from "node:path";
import { packageFile } from "../src/apimachinery/meta/package-files.ts";

const NOT_OURS = new Set(["node_modules", "dist", ".git", ".egret", "coverage"]);

/** The path itself if it is a file, else all paths below the folder, sorted, with slashes. None if it does not exist. */
export function filesBelow(path: string): string[] {
  const full = packageFile(path);
  if (!existsSync(full)) return [];
  if (statSync(full).isFile()) return [path];
  return readdirSync(full, { withFileTypes: true })
    .filter(({ name }) => !NOT_OURS.has(name))
    .flatMap((entry) => {
      const inside = posix.join(path, entry.name);
      if (entry.isDirectory()) return filesBelow(inside);
      return entry.isFile() ? [inside] : [];
    })
    .sort();
}
