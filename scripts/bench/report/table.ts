// A report as a table, for a terminal or as Markdown.
import { timesBetter, verdictOf } from "./goals.ts";
import type { Report } from "./report.ts";
import type { Row } from "./row.ts";

const HEAD = [
  "operation",
  "clients",
  "figure",
  "MB/s",
  "p50 ms",
  "p99 ms",
  "cpu µs",
  "busy",
  "raw limit",
  "of raw",
  "raw cpu µs",
  "raw busy",
  "raw limit of",
  "by",
  "goal",
  "",
  "× kube-apiserver",
];
/** A lower share affects no figure visibly. */
const STOLEN_MIN = 0.02;
const WORDS = new Set(["operation", "raw limit of", "by", "goal", ""].map((word) => HEAD.indexOf(word)));

export function tableOf(report: Report): string {
  return [machineOf(report), "", ...aligned(cellsOf(report)), "", ...missedOf(report), ""].join("\n");
}

/** For a README: the cells of the terminal table, separated by bars. */
export function markdownTable(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  words: ReadonlySet<number>,
): string {
  const widths = widthsOf([head, ...rows]);
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, at) => pad(cell, widths[at] ?? 0, words.has(at))).join(" | ")} |`;
  const rule = widths.map((width, at) => (words.has(at) ? "-".repeat(width) : `${"-".repeat(width - 1)}:`));
  return [line(head), `| ${rule.join(" | ")} |`, ...rows.map(line)].join("\n");
}

export function markdownRows(report: Report): string {
  return markdownTable(HEAD, cellsOf(report), WORDS);
}

export function machineOf({
  server,
  node,
  cores,
  processor,
  memoryGigabytes,
  runs,
  startedAt,
  stolen = 0,
}: Report): string {
  const size = `${cores} cores (${processor}), ${memoryGigabytes} GB`;
  const many = runs === 1 ? "one run" : `medians of ${runs} runs`;
  const kept =
    stolen < STOLEN_MIN ? "" : ` The host kept ${Math.round(100 * stolen)} % of their time for others.`;
  return `${server}; ${startedAt.slice(0, 10)}; ${size}; Node ${node}; ${many}. The server, the raw HTTP server and the client share the cores.${kept}`;
}

function missedOf({ own, quick, rows }: Report): string[] {
  if (!own || quick) return [];
  const judged = rows.map((row) => ({ row, verdict: verdictOf(row, rows) })).filter(({ verdict }) => verdict);
  const missed = judged.filter(({ verdict }) => verdict?.met === false);
  return [
    `${judged.length - missed.length} of ${judged.length} goals are met`,
    ...missed.map(
      ({ row, verdict }) => `missed: ${row.operation}, ${row.clients ?? 1} clients: ${verdict?.goal}`,
    ),
  ];
}

function cellsOf({ own, quick, rows }: Report): string[][] {
  return rows.map((row) => [
    ...figuresOf(row),
    ...(own && !quick ? judgementOf(row, rows) : ["", ""]),
    quick ? "" : short(timesBetter(row)),
  ]);
}

function judgementOf(row: Row, rows: readonly Row[]): string[] {
  const verdict = verdictOf(row, rows);
  return verdict === undefined ? ["", ""] : [verdict.goal, verdict.met ? "met" : "missed"];
}

function figuresOf(row: Row): string[] {
  const {
    operation,
    clients,
    perSecond,
    bytes,
    p50Ms,
    p99Ms,
    rawPerSecond,
    rawValue,
    raw = "",
    value,
    unit,
    generator = perSecond === undefined ? "" : "node",
  } = row;
  const ratio = perSecond !== undefined && rawPerSecond ? percent(perSecond / rawPerSecond) : "";
  return [
    operation,
    clients === undefined ? "" : String(clients),
    perSecond === undefined ? `${short(value)} ${unit}` : `${short(perSecond)}/s`,
    perSecond === undefined || bytes === undefined ? "" : short((perSecond * bytes) / 1e6),
    short(p50Ms),
    short(p99Ms),
    short(row.cpuUs),
    percent(row.busy),
    rawPerSecond !== undefined
      ? `${short(rawPerSecond)}/s`
      : rawValue !== undefined
        ? `${short(rawValue)} ${unit}`
        : "",
    ratio,
    short(row.rawCpuUs),
    percent(row.rawBusy),
    raw,
    generator,
  ];
}

export const percent = (share: number | undefined): string =>
  share === undefined ? "" : `${Math.round(100 * share)} %`;

/** Rounded to three significant digits. */
export function short(value: number | undefined): string {
  if (value === undefined) return "";
  return value >= 100 ? String(Math.round(value)) : value >= 10 ? value.toFixed(1) : value.toFixed(2);
}

function aligned(rows: readonly (readonly string[])[]): string[] {
  const all = [HEAD, ...rows];
  const widths = widthsOf(all);
  return all.map((row) =>
    row
      .map((cell, at) => pad(cell, widths[at] ?? 0, WORDS.has(at)))
      .join("  ")
      .trimEnd(),
  );
}

function widthsOf(rows: readonly (readonly string[])[]): number[] {
  return (rows[0] ?? []).map((_, column) => Math.max(3, ...rows.map((row) => row[column]?.length ?? 0)));
}

/** Aligns words to the left, numbers to the right. */
function pad(text: string, width: number, isWord: boolean): string {
  return isWord ? text.padEnd(width) : text.padStart(width);
}
