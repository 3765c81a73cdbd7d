// Reads the repository for the tidy tests. Everything here works on text, so it needs no compiler.
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";

const repository = join(import.meta.dirname, "../..");
const NOT_OURS = new Set(["node_modules", "dist", ".git", ".egret", "coverage"]);

export interface SourceFile {
  /** From the root of the repository, with slashes. */
  readonly path: string;
  readonly text: string;
}

/** Paths of all files below a folder of the repository ("" is the root), without installed and built ones. */
export function filesBelow(folder: string): string[] {
  return readdirSync(join(repository, folder), { withFileTypes: true })
    .filter((entry) => !NOT_OURS.has(entry.name))
    .flatMap((entry) => {
      const path = posix.join(folder, entry.name);
      if (entry.isDirectory()) return filesBelow(path);
      return entry.isFile() ? [path] : [];
    })
    .sort();
}

export function readText(path: string): string {
  return readFileSync(join(repository, path), "utf8");
}

/** The TypeScript files below a folder. */
export function sourceFiles(folder: string): SourceFile[] {
  return filesBelow(folder)
    .filter((path) => /\.tsx?$/.test(path))
    .map((path) => ({ path, text: readText(path) }));
}

const IMPORT =
  /^\s*(?:import|export)\b[^"';]*?\bfrom\s*["']([^"']+)["']|^\s*import\s*["']([^"']+)["']|\bimport\(\s*["']([^"']+)["']/gm;

/** What a file imports or re-exports, types included: paths of the repository, or names of packages. */
export function importsOf({ path, text }: SourceFile): string[] {
  return [...text.matchAll(IMPORT)].map(([, from, bare, dynamic]) => {
    const target = from ?? bare ?? dynamic ?? "";
    return target.startsWith(".") ? posix.join(dirname(path), target) : target;
  });
}

/** The text without comments. A quoted text keeps its //, as in a URL. */
export function withoutComments(text: string): string {
  return text.replace(
    /("(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`)|\/\*[\s\S]*?\*\/|\/\/[^\n]*/g,
    (_all, quoted: string | undefined) => quoted ?? "",
  );
}
