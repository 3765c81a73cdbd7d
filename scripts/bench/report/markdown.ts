// A report as Markdown for a README: the table, and the curves by number of objects and of watchers.
import type { Report } from "./report.ts";
import type { Row } from "./row.ts";
import { machineOf, markdownRows, markdownTable, short } from "./table.ts";

const ONLY_FIRST = new Set([0]);

export function markdownOf(report: Report): string {
  const sections = [machineOf(report), markdownRows(report), ...curvesOf(report.rows)];
  return `${sections.join("\n\n")}\n`;
}

function curvesOf(rows: readonly Row[]): string[] {
  const bySize = sizeCurve(rows);
  const byWatchers = watchCurve(rows);
  return [
    ...(bySize === undefined ? [] : ["By the number of objects that are there (16 clients):", bySize]),
    ...(byWatchers === undefined ? [] : ["By the number of watchers:", byWatchers]),
  ];
}

function sizeCurve(rows: readonly Row[]): string | undefined {
  const sizes = numbersOf(rows, /^size\/get\/(\d+)$/);
  if (sizes.length === 0) return undefined;
  const rate = (operation: string, size: number) =>
    `${short(find(rows, `size/${operation}/${size}`)?.perSecond)}/s`;
  const cells = sizes.map((size) => [
    size.toLocaleString("en"),
    rate("get", size),
    rate("create", size),
    rate("patch", size),
    megabytes(find(rows, `memory/${size}`)),
  ]);
  return markdownTable(["objects", "get", "create", "merge patch", "memory"], cells, ONLY_FIRST);
}

function watchCurve(rows: readonly Row[]): string | undefined {
  const counts = numbersOf(rows, /^watch\/(\d+)$/);
  if (counts.length === 0) return undefined;
  const cells = counts.map((count) => {
    const row = find(rows, `watch/${count}`);
    const { perSecond, rawPerSecond, p50Ms, p99Ms } = row ?? {};
    return [
      count.toLocaleString("en"),
      `${short(perSecond)}/s`,
      `${short(rawPerSecond)}/s`,
      short(p50Ms),
      short(p99Ms),
    ];
  });
  return markdownTable(["watchers", "delivered", "bare HTTP", "p50 ms", "p99 ms"], cells, ONLY_FIRST);
}

function numbersOf(rows: readonly Row[], id: RegExp): number[] {
  return rows.flatMap((row) => id.exec(row.id)?.slice(1, 2).map(Number) ?? []);
}

const find = (rows: readonly Row[], id: string): Row | undefined => rows.find((row) => row.id === id);

const megabytes = (row: Row | undefined): string =>
  row?.value === undefined ? "" : `${short(row.value)} MB`;
