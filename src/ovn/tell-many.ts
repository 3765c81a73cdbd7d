// Renders traces of many pods: pods with equal results in one row, or a matrix of pods and destinations.
import { counted } from "./explain/explanation.ts";
import { type Block, likelyMark } from "./tell.ts";
import type { ManyTraces, PartOfWay, Row, SharedOutcome, SharedWay } from "./trace/many.ts";
import { inWords } from "./trace/packet-path.ts";

const NAMES_SHOWN = 4;

/** One row for each distinct result, with its pods. */
export function blocksOfMany({ to, ways, rows }: ManyTraces): Block[] {
  const takers = new Map<number, string[]>();
  for (const row of rows) {
    for (const way of row.ways.flat()) takers.set(way, [...(takers.get(way) ?? []), nameOf(row)]);
  }
  const lines = [...takers].flatMap(([number, names]) => {
    const way = ways[number];
    return way ? linesOfWay(way, names) : [];
  });
  const columns = ["PODS", "TO", "OUTCOME", "SOURCE", "NODE", "BY"];
  return [
    { type: "sentence", text: summaryOfMany({ to, ways, rows }) },
    { type: "table", title: "Outcomes by sender", columns, rows: lines },
    {
      type: "list",
      title: "Why several outcomes are possible",
      items: [...new Set(ways.flatMap(({ ambiguities }) => ambiguities))],
    },
    { type: "list", title: "Warnings", items: [...new Set(ways.flatMap(({ warnings }) => warnings))] },
  ];
}

const nameOf = ({ namespace, pod }: Row): string => (pod === undefined ? namespace : `${namespace}/${pod}`);

function linesOfWay({ to, parts }: SharedWay, names: readonly string[]): string[][] {
  const who = firstOf(names);
  return parts.flatMap((part, at) =>
    part.outcomes.map((outcome, index) => [
      at === 0 && index === 0 ? who : "",
      index === 0 ? firstOf(part.ranges ?? [to]) : "",
      `${index === 0 ? "" : "or "}${outcome.verdict}${likelyMark(outcome.likely)}`,
      sourceOf(outcome),
      outcome.verdict === "allowed" ? (outcome.node ?? "") : "",
      decidedBy(outcome),
    ]),
  );
}

const firstOf = (names: readonly string[]): string =>
  names.length > NAMES_SHOWN
    ? `${names.slice(0, NAMES_SHOWN - 1).join(", ")}, … (${names.length})`
    : names.join(", ");

const rangesOf = ({ ranges = [] }: PartOfWay, to: string): string => ranges.join(", ") || to;

const sourceOf = ({ source, keepsAddress }: SharedOutcome): string =>
  keepsAddress ? "its own address" : (source ?? "");

const decidedBy = ({ by, text = "" }: SharedOutcome): string => by.map(inWords).join(", ") || text;

/** "3 pods to 0.0.0.0/0: 2 allowed, 1 denied". */
function summaryOfMany({ to, ways, rows }: ManyTraces): string {
  const counts = new Map<string, number>();
  for (const { ways: taken } of rows) {
    for (const column of taken) {
      const verdicts = new Set(column.map((way) => ways[way]?.verdict ?? "no verdict"));
      const [only = "no verdict"] = verdicts.size === 1 ? verdicts : ["several"];
      counts.set(only, (counts.get(only) ?? 0) + 1);
    }
  }
  const what = rows.some(({ pod }) => pod === undefined) ? "namespace" : "pod";
  const told = [...counts].map(
    ([verdict, count]) => `${count} ${verdict === "several" ? "with several outcomes" : verdict}`,
  );
  return `${counted(rows.length, what)} to ${to.join(", ")}: ${told.join(", ") || "nobody sends"}`;
}

/** The matrix: a row for each pod or namespace, a column for each destination. */
export function matrixOf({ to, ways, rows }: ManyTraces): string[][] {
  const hasPods = rows.some(({ pod }) => pod !== undefined);
  const texts = ways.map(inOneCell);
  return [
    ["namespace", ...(hasPods ? ["pod", "node"] : ["pods"]), ...to],
    ...rows.map(({ namespace, pod = "", node = "", pods, ways: taken }) => [
      namespace,
      ...(hasPods ? [pod, node] : [String(pods)]),
      ...taken.map((column) => column.map((way) => texts[way] ?? "").join(" | ")),
    ]),
  ];
}

export const blocksOfMatrix = (many: ManyTraces): Block[] => {
  const [columns = [], ...rows] = matrixOf(many);
  return [
    { type: "sentence", text: summaryOfMany(many) },
    { type: "table", title: "Outcomes by sender", columns: columns.map((name) => name.toUpperCase()), rows },
  ];
};

/** "allowed 192.168.126.101 from n1 by EgressIP web"; parts of a range are joined by semicolons. */
function inOneCell({ to, parts }: SharedWay): string {
  const told = parts.map((part) => {
    const outcomes = part.outcomes.map(inShort).join(" or ");
    return parts.length > 1 ? `${rangesOf(part, to)}: ${outcomes}` : outcomes;
  });
  return told.join("; ");
}

function inShort(outcome: SharedOutcome): string {
  const { verdict, node, by, likely } = outcome;
  const source = sourceOf(outcome);
  const parts = [
    `${verdict}${likelyMark(likely)}`,
    ...(verdict === "allowed" && source !== "" ? [source] : []),
    ...(verdict === "allowed" && node !== undefined ? [`from ${node}`] : []),
    ...(by.length > 0 ? [`by ${by.map(inWords).join(", ")}`] : []),
  ];
  return parts.join(" ");
}

/** RFC 4180, but lines end with LF. */
export const asCsv = (rows: readonly (readonly string[])[]): string =>
  rows.map((row) => `${row.map(cellOf).join(",")}\n`).join("");

const cellOf = (text: string): string => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
