// The table of a README for users: the rows with a goal or a comparison, each with the figures that its goal uses.
import { timesBetter, verdictOf } from "./goals.ts";
import type { Report } from "./report.ts";
import type { Row } from "./row.ts";
import { machineOf, markdownTable, percent, short } from "./table.ts";

const HEAD = ["operation", "figure", "cpu µs, raw", "of raw", "goal", "", "× kube-apiserver"];
const WORDS = new Set(HEAD.keys());
/** Rows that have a table of their own, or are many of a kind. */
const ELSEWHERE = /^(stall|verdict|demo)\//;

export function summaryOf(report: Report): string {
  const { rows } = report;
  const cells = rows
    .filter(({ id }) => !ELSEWHERE.test(id))
    .flatMap((row) => {
      const verdict = verdictOf(row, rows);
      const times = timesBetter(row);
      if (verdict === undefined && times === undefined) return [];
      const met = verdict === undefined ? "" : verdict.met ? "met" : "missed";
      return [[nameOf(row), figureOf(row), cpuOf(row), ofRaw(row), verdict?.goal ?? "", met, short(times)]];
    });
  return `${machineOf(report)}\n\n${markdownTable(HEAD, cells, WORDS)}\n`;
}

function nameOf({ id, operation, clients = 1, perSecond }: Row): string {
  if (perSecond === undefined || /^list\//.test(id)) return operation;
  if (/^watch/.test(id)) return `${operation} to ${clients} watcher${clients === 1 ? "" : "s"}`;
  return `${operation}, ${clients} client${clients === 1 ? "" : "s"}`;
}

function figureOf({ perSecond, bytes, p50Ms, p99Ms, value, unit, id }: Row): string {
  if (perSecond === undefined) return `${short(value)} ${unit}`;
  if (/^watch/.test(id)) return `${short(perSecond)}/s, p99 ${short(p99Ms)} ms`;
  const size =
    bytes === undefined ? "" : `, ${short((perSecond * bytes) / 1e6)} MB/s, p50 ${short(p50Ms)} ms`;
  return `${short(perSecond)}/s${size}`;
}

const cpuOf = ({ cpuUs, rawCpuUs }: Row): string =>
  [cpuUs, rawCpuUs].flatMap((us) => (us === undefined ? [] : [short(us)])).join(", ");

const ofRaw = ({ perSecond, rawPerSecond, value, rawValue }: Row): string => {
  if (perSecond !== undefined) return percent(rawPerSecond ? perSecond / rawPerSecond : undefined);
  return percent(value !== undefined && rawValue ? value / rawValue : undefined);
};
