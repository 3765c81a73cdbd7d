// npm run bench -- --compare REF: the same rows of another commit and of this one, alternating. Every turn is a new
// process with new servers, so that V8's compilation in one of them does not decide the result.
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { packageFile } from "../../../src/apimachinery/meta/package-files.ts";
import type { Report } from "../report/report.ts";
import type { Row } from "../report/row.ts";
import { otherBuild } from "./other-build.ts";
import { differencesOf, linesOf, type Pair } from "./pairs.ts";

/** The rows by which changes of the hot paths are judged. */
export const USUAL_ROWS = ["get/16", "create/16", "patch/16", "apply/16"];

export interface Comparison {
  readonly ref: string;
  readonly pairs: number;
  readonly only: readonly string[];
  /** Flags that every turn gets. */
  readonly flags: readonly string[];
  readonly folder: string;
  tell(line: string): void;
}

/** Returns the table of the differences. */
export async function compareWith({ ref, pairs, only, flags, folder, tell }: Comparison): Promise<string> {
  tell(`building ${ref}`);
  await using other = await otherBuild(ref, folder);
  const rows = (only.length === 0 ? USUAL_ROWS : only).flatMap((name) => ["--only", name]);
  const turn = (build: string) => rowsOf(build, [...rows, ...flags], folder);
  const taken: Pair[] = [];
  for (let number = 1; number <= pairs; number++) {
    tell(`pair ${number} of ${pairs}`);
    taken.push({ other: await turn(other.folder), ours: await turn(packageFile()) });
  }
  const lines = linesOf(differencesOf(taken), other.name);
  return `${lines.join("\n")}\n`;
}

async function rowsOf(build: string, flags: readonly string[], folder: string): Promise<readonly Row[]> {
  const json = join(folder, "turn.json");
  const bench = packageFile("scripts", "bench.ts");
  const args = [
    "--import",
    "tsx",
    bench,
    "--build",
    build,
    "--alone",
    "--folder",
    folder,
    "--json",
    json,
    ...flags,
  ];
  await promisify(execFile)(process.execPath, args);
  const { rows }: Report = JSON.parse(await readFile(json, "utf8"));
  return rows;
}
