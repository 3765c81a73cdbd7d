// What was measured, as a table for people and as JSON for comparisons.
import { writeFile } from "node:fs/promises";
import { availableParallelism } from "node:os";

export interface Row {
  readonly operation: string;
  /** Connections, writers or watchers. */
  readonly clients?: number;
  readonly perSecond?: number;
  /** Of one answer. */
  readonly bytes?: number;
  readonly p50Ms?: number;
  readonly p99Ms?: number;
  readonly rawPerSecond?: number;
  /** What the raw limit is the limit of. */
  readonly raw?: string;
  /** A measure of another kind: milliseconds, mebibytes. */
  readonly value?: number;
  readonly unit?: string;
}

export interface Report {
  readonly server: string;
  readonly quick: boolean;
  readonly startedAt: string;
  readonly node: string;
  readonly cores: number;
  readonly rows: readonly Row[];
}

export function reportOf(server: string, quick: boolean, startedAt: Date, rows: readonly Row[]): Report {
  const cores = availableParallelism();
  return { server, quick, startedAt: startedAt.toISOString(), node: process.version, cores, rows };
}

export async function writeJson(path: string, report: Report): Promise<void> {
  await writeFile(path, `${JSON.stringify(report, null, 2)}\n`);
}

const HEAD = [
  "operation",
  "clients",
  "per second",
  "MB/s",
  "p50 ms",
  "p99 ms",
  "raw limit/s",
  "ratio",
  "raw limit of",
];

export function tableOf({ rows, cores, node, server }: Report): string {
  const cells = [HEAD, ...rows.map(cellsOf)];
  const widths = HEAD.map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)));
  const lines = cells.map((row) =>
    row
      .map((cell, at) => pad(cell, widths[at] ?? 0, at))
      .join("  ")
      .trimEnd(),
  );
  return [
    `${server}; Node ${node}; the server, the raw HTTP server and this client are processes of their own that share ${cores} cores`,
    "",
    ...lines,
    "",
  ].join("\n");
}

function cellsOf(row: Row): string[] {
  const {
    operation,
    clients,
    perSecond,
    bytes,
    p50Ms,
    p99Ms,
    rawPerSecond,
    raw = "",
    value,
    unit = "",
  } = row;
  const ratio =
    perSecond !== undefined && rawPerSecond ? `${Math.round((100 * perSecond) / rawPerSecond)} %` : "";
  return [
    operation,
    clients === undefined ? "" : String(clients),
    perSecond === undefined ? `${significant(value)} ${unit}` : significant(perSecond),
    perSecond === undefined || bytes === undefined ? "" : significant((perSecond * bytes) / 1e6),
    significant(p50Ms),
    significant(p99Ms),
    significant(rawPerSecond),
    ratio,
    raw,
  ];
}

function significant(value: number | undefined): string {
  if (value === undefined) return "";
  return value >= 100 ? String(Math.round(value)) : value >= 10 ? value.toFixed(1) : value.toFixed(2);
}

/** Words to the left, numbers to the right. */
function pad(text: string, width: number, column: number): string {
  return column === 0 || column === HEAD.length - 1 ? text.padEnd(width) : text.padStart(width);
}
