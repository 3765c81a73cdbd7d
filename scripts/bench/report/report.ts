// The results as JSON for comparisons; with several runs each figure is the median.
import { readFile, writeFile } from "node:fs/promises";
import { availableParallelism, cpus, totalmem } from "node:os";
import { median } from "../measure.ts";
import type { Row } from "./row.ts";

export interface Report {
  readonly server: string;
  /** True if the bench started the server, so that Egret's goals apply. */
  readonly own: boolean;
  readonly quick: boolean;
  readonly startedAt: string;
  readonly node: string;
  readonly cores: number;
  readonly processor: string;
  readonly memoryGigabytes: number;
  readonly runs: number;
  /** Steal time: the share of processor time that the host of a virtual machine gave to others, from 0 to 1. */
  readonly stolen?: number | undefined;
  readonly rows: readonly Row[];
}

export type Measured = Pick<Report, "server" | "own" | "quick" | "stolen"> & {
  readonly startedAt: Date;
};

export function reportOf(measured: Measured, runs: readonly (readonly Row[])[]): Report {
  return {
    ...measured,
    startedAt: measured.startedAt.toISOString(),
    node: process.version,
    cores: availableParallelism(),
    processor: cpus()[0]?.model ?? "",
    memoryGigabytes: Math.round(totalmem() / 1e9),
    runs: runs.length,
    rows: mediansOf(runs),
  };
}

/** In the order of the first run. */
export function mediansOf(runs: readonly (readonly Row[])[]): Row[] {
  return (runs[0] ?? []).map((first) => {
    const same = runs.flatMap((rows) => rows.filter(({ id }) => id === first.id));
    const figures = Object.entries(first).map(([name, value]) => [
      name,
      typeof value === "number" ? median(same.map((row) => Number(row[name as keyof Row]))) : value,
    ]);
    return Object.fromEntries(figures) as Row; // the same members as the first run's
  });
}

export async function writeJson(path: string, report: Report): Promise<void> {
  await writeFile(path, `${JSON.stringify(report, null, 2)}\n`);
}

export async function readJsonReport(path: string): Promise<Report> {
  return JSON.parse(await readFile(path, "utf8"));
}
