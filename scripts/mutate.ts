// npm run mutate -- [--sample N] PATH…: mutation testing. Changes the source below the paths in many small ways, one at a
// time, and lists the mutants that no test detects. It runs the tests of the same folders below test/unit, and the
// contracts and properties of the changed code. --sample N takes one window of lines in N, always the same ones: a package
// in minutes, not hours.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, posix } from "node:path";
import { parseArgs } from "node:util";
import { importsOf, type SourceFile, sourceFiles } from "../test/tidy/source-files.ts";

const LAWS: ReadonlySet<string> = new Set(["test/contract", "test/property"]);
const WINDOW_LINES = 20;
const RUNNERS = 2;
/** A mutant counts as detected if a test failed or did not end. */
const KILLED = new Set(["Killed", "Timeout", "RuntimeError", "CompileError"]);

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { sample: { type: "string", default: "1" } },
});
const sample = Number(values.sample);
if (positionals.length === 0 || !(sample >= 1)) throw new Error("npm run mutate -- [--sample N] PATH…");

const isBelow = (path: string, folder: string): boolean => path === folder || path.startsWith(`${folder}/`);
const isMutated = (path: string): boolean =>
  positionals.some((wanted) => isBelow(path, wanted.replace(/\/$/, "")));

const mutated = sourceFiles("src").filter(({ path }) => isMutated(path));
const tests = testsOf(sourceFiles("test"));
console.log(`${mutated.length} files, ${tests.length} files of tests`);

const folder = await mkdtemp(join(tmpdir(), "egret-mutate-"));
try {
  const config = join(folder, "stryker.json");
  const report = join(folder, "report.json");
  await writeFile(config, JSON.stringify(settings(report)));
  const stryker = spawn(process.execPath, ["node_modules/.bin/stryker", "run", config], {
    stdio: "inherit",
    env: {
      ...process.env,
      EGRET_MUTATE_TESTS: JSON.stringify(tests.map((path) => path.slice("test/".length))),
    },
  });
  const [code] = await once(stryker, "exit");
  if (code === 0) tell(JSON.parse(await readFile(report, "utf8")));
  else process.exitCode = 1;
} finally {
  await rm(folder, { recursive: true, force: true });
}

/**
 * The tests of the changed folders; of contracts and properties those that import the changed file, or a neighbour that
 * does.
 */
function testsOf(files: readonly SourceFile[]): string[] {
  const ofFolders = [
    ...new Set(mutated.map(({ path }) => posix.dirname(path.replace("src/", "test/unit/")))),
  ];
  const imports = new Map(files.map((file) => [file.path, importsOf(file)]));
  const reaches = (path: string): boolean =>
    (imports.get(path) ?? []).some(
      (target) => isMutated(target) || (posix.dirname(target) === posix.dirname(path) && reaches(target)),
    );
  const isOurs = (path: string): boolean =>
    ofFolders.some((folder) => isBelow(path, folder)) || (LAWS.has(posix.dirname(path)) && reaches(path));
  return [...imports.keys()].filter((path) => path.endsWith(".test.ts") && isOurs(path));
}

function settings(report: string): object {
  return {
    mutate: mutated.flatMap(({ path, text }) => windowsOf(path, text.split("\n").length)),
    testRunner: "vitest",
    vitest: { configFile: "test/mutants.config.ts", related: false },
    coverageAnalysis: "perTest",
    ignoreStatic: true, // each test reads tables once: each of their mutants would need all tests
    concurrency: RUNNERS,
    reporters: ["json", "progress-append-only"],
    jsonReporter: { fileName: report },
    tempDirName: join(folder, "sandbox"),
    tsconfigFile: "none.json", // Stryker would read it with an older compiler than ours
    ignorePatterns: ["dist", "scripts/bench"],
  };
}

/** The whole file, or the windows of it in the sample. */
function windowsOf(path: string, lines: number): string[] {
  if (sample === 1) return [path];
  const windows: string[] = [];
  for (let from = 1; from <= lines; from += WINDOW_LINES) {
    if (hash(`${path}:${from}`) % sample === 0) windows.push(`${path}:${from}-${from + WINDOW_LINES - 1}`);
  }
  return windows;
}

/** FNV-1a, which selects the same windows each time. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (const letter of text) value = Math.imul(value ^ letter.charCodeAt(0), 0x01000193) >>> 0;
  return value;
}

interface Report {
  readonly files: Readonly<Record<string, { readonly source: string; readonly mutants: readonly Mutant[] }>>;
}

interface Mutant {
  readonly status: string;
  readonly mutatorName: string;
  readonly replacement?: string;
  readonly location: { readonly start: { readonly line: number; readonly column: number } };
}

function tell({ files }: Report): void {
  let killed = 0;
  let all = 0;
  for (const [path, { source, mutants }] of Object.entries(files)) {
    const counted = mutants.filter(({ status }) => status !== "Ignored");
    const alive = counted.filter(({ status }) => !KILLED.has(status));
    all += counted.length;
    killed += counted.length - alive.length;
    for (const { location, status, replacement = "" } of alive) {
      const { line, column } = location.start;
      const shown = source.split("\n")[line - 1]?.trim() ?? "";
      console.log(`${path}:${line}:${column} ${status}\n  - ${shown}\n  + ${replacement.split("\n")[0]}`);
    }
  }
  console.log(`${killed} of ${all} killed, ${((100 * killed) / Math.max(all, 1)).toFixed(1)} %`);
}
