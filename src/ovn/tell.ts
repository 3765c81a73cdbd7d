// Renders verdicts as text for a terminal and as Markdown, from the same blocks.

import { greatest } from "../apimachinery/meta/lists.ts";
import { roomText } from "./capacity.ts";
import type { Difference } from "./compare.ts";
import { counted, type Explanation, type Section } from "./explain/explanation.ts";
import type { Reason } from "./reason.ts";
import type { TracedOutcome } from "./trace/outcome.ts";
import { inWords } from "./trace/packet-path.ts";
import type { Trace } from "./trace/trace.ts";

export type Block =
  | { readonly type: "sentence"; readonly text: string }
  | { readonly type: "list"; readonly title: string; readonly items: readonly string[] }
  | ({ readonly type: "table" } & Section);

/** Suffix for results that neither a test nor a document of upstream states. */
export const likelyMark = (likely: boolean): string => (likely ? " (likely)" : "");

const withRemedy = ({ text, likely, remedy }: Reason): string =>
  `${text}${likelyMark(likely)}${remedy === undefined ? "" : `: ${remedy}`}`;

export const blocksOfExplanation = ({ summary, sections, advice }: Explanation): Block[] => [
  { type: "sentence", text: summary },
  ...sections.map((section) => ({ type: "table" as const, ...section })),
  { type: "list", title: "What you can do", items: advice },
];

export function blocksOfTrace({ summary, outcomes, ambiguities, unusedEgressIps, warnings }: Trace): Block[] {
  const several = outcomes.length > 1;
  return [
    { type: "sentence", text: summary },
    ...outcomes.map(
      (outcome, index): Block => ({
        type: "table",
        title: `${several ? `${index + 1}. ` : ""}${headline(outcome)}`,
        columns: ["STAGE", "RESULT", "WHY"],
        rows: outcome.steps.map(({ stage, result, text, likely }) => [
          stage,
          result,
          `${text}${likelyMark(likely)}`,
        ]),
      }),
    ),
    { type: "list", title: "Why several outcomes are possible", items: ambiguities },
    ...unusedEgressIps.map(
      ({ name, reasons }): Block => ({
        type: "list",
        title: `Why EgressIP ${name} is not used`,
        items: reasons.map(withRemedy),
      }),
    ),
    { type: "list", title: "Warnings", items: warnings },
  ];
}

function headline({
  verdict,
  likely,
  source,
  node,
  interface: through,
  nextHop,
  dscp,
  destination,
}: TracedOutcome): string {
  const { address, range = address, port, protocol } = destination;
  const facts = [
    ["source", source],
    ["node", node],
    ["interface", through],
    ["next hop", nextHop],
    ["DSCP", dscp && `${dscp.value} by ${inWords(dscp.by)}`],
    ["destination", `${range}${port === undefined ? "" : ` port ${port}`} ${protocol}`],
  ].flatMap(([what, value]) => (value === undefined ? [] : [`${what} ${value}`]));
  return `${verdict}${likelyMark(likely)}: ${facts.join(", ")}`;
}

const isSaid = (block: Block): boolean =>
  block.type === "sentence" || (block.type === "list" ? block.items.length > 0 : block.rows.length > 0);

export type Tone = "sentence" | "title" | "columns" | "good" | "bad" | "unsure";
/** Colors a text by its tone. */
export type Paint = (tone: Tone, text: string) => string;

const GOOD = /^(or )?(allowed|assigned|routed|host)\b/;
const BAD = /^(or )?(denied|dropped|rejected|unreachable|no verdict)\b|^nothing$/;

/** Paints a cell that starts with a verdict word, or is marked as likely. */
function paintCell(paint: Paint, cell: string, padded: string): string {
  const tone = /\(likely\)$/.test(cell)
    ? "unsure"
    : GOOD.test(cell)
      ? "good"
      : BAD.test(cell)
        ? "bad"
        : undefined;
  return tone === undefined ? padded : `${paint(tone, cell)}${padded.slice(cell.length)}`;
}

/** Renders tables with aligned columns. */
export function asText(blocks: readonly Block[], paint: Paint = (_tone, text) => text): string {
  const parts = blocks.filter(isSaid).map((block) => {
    if (block.type === "sentence") return paint("sentence", block.text);
    const title = paint("title", block.title);
    if (block.type === "list") return [title, ...block.items.map((item) => `  - ${item}`)].join("\n");
    const lines = tableLines(block).map((cells, at) => {
      const line = cells.map(({ cell, padded }) => (at === 0 ? padded : paintCell(paint, cell, padded)));
      return `  ${at === 0 ? paint("columns", line.join("  ")) : line.join("  ")}`;
    });
    return [title, ...lines].join("\n");
  });
  return `${parts.join("\n\n")}\n`;
}

/** Header and rows with cells padded to the column width; the last non-empty cell of a line is not padded. */
function tableLines({ columns, rows }: Section): { readonly cell: string; readonly padded: string }[][] {
  const table = [columns, ...rows];
  const widths = columns.map((_, column) =>
    greatest(
      table.map((row) => (row[column] ?? "").length),
      0,
    ),
  );
  return table.map((row) => {
    const end = row.findLastIndex((cell) => cell !== "");
    const cells = row.slice(0, end + 1);
    return cells.map((cell, at) => ({ cell, padded: at === end ? cell : cell.padEnd(widths[at] ?? 0) }));
  });
}

const escaped = (cell: string): string => cell.replaceAll("|", "\\|");

export function asMarkdown(blocks: readonly Block[]): string {
  const parts = blocks.filter(isSaid).map((block) => {
    if (block.type === "sentence") return `**${block.text}**`;
    if (block.type === "list")
      return [`### ${block.title}`, "", ...block.items.map((item) => `- ${item}`)].join("\n");
    const line = (cells: readonly string[]) => `| ${cells.map(escaped).join(" | ")} |`;
    const rule = line(block.columns.map(() => "---"));
    return [`### ${block.title}`, "", line(block.columns), rule, ...block.rows.map(line)].join("\n");
  });
  return `${parts.join("\n\n")}\n`;
}

const nothing = "nothing";

export function blocksOfDifference(difference: Difference): Block[] {
  const { moved, services, pods, decided, nodes, events, refused } = difference;
  return [
    { type: "sentence", text: summaryOfDifference(difference) },
    {
      type: "table",
      title: "Egress addresses",
      columns: ["EGRESSIP", "ADDRESS", "FROM", "TO"],
      rows: moved.map(({ egressIp, address, from, to }) => [
        egressIp,
        address,
        from ?? nothing,
        to ?? nothing,
      ]),
    },
    {
      type: "table",
      title: "EgressServices",
      columns: ["NAME", "FROM", "TO"],
      rows: services.map(({ egressService, from, to }) => [egressService, from || nothing, to || nothing]),
    },
    {
      type: "table",
      title: "Pods that leave otherwise",
      columns: ["POD", "FROM", "TO"],
      rows: pods.map(({ pod, from, to }) => [pod, from, to]),
    },
    {
      type: "table",
      title: "Decided otherwise",
      columns: ["POD", "RANGE", "FROM", "TO", "BY"],
      rows: decided.map(({ pod, range, from, to, by }) => [pod, range, from, to, by]),
    },
    {
      type: "table",
      title: "Egress addresses on nodes",
      columns: ["NODE", "BEFORE", "AFTER", "FREE BEFORE", "FREE AFTER"],
      rows: nodes.map(({ node, before, after, left }) => [
        node,
        String(before),
        String(after),
        roomText(left.before),
        roomText(left.after),
      ]),
    },
    {
      type: "list",
      title: "New warnings",
      items: events.map(({ object, reason, message }) => `${object}, ${reason}: ${message}`),
    },
    {
      type: "list",
      title: "Refused",
      items: refused.map(({ change, reason, message }) => `${change}: ${reason}: ${message}`),
    },
  ];
}

/** "2 addresses move, 1 is lost; 5 pods leave otherwise". */
export function summaryOfDifference({ moved, services, pods, decided, refused }: Difference): string {
  const lost = moved.filter(({ to }) => to === undefined).length;
  const gained = moved.filter(({ from }) => from === undefined).length;
  const parts = [
    [moved.length - lost - gained, "egress address moves", "egress addresses move"],
    [lost, "egress address is lost", "egress addresses are lost"],
    [gained, "egress address gets a node", "egress addresses get a node"],
    [services.length, "EgressService changes its host", "EgressServices change their host"],
    [pods.length, "pod leaves otherwise", "pods leave otherwise"],
    [new Set(decided.map(({ pod }) => pod)).size, "pod is decided otherwise", "pods are decided otherwise"],
    [refused.length, "change is refused", "changes are refused"],
  ] as const;
  const told = parts.flatMap(([count, one, many]) => (count === 0 ? [] : [counted(count, one, many)]));
  return told.length === 0 ? "Nothing would be different" : told.join(", ");
}

/** The effect of losing each node, the worst first. */
export const blocksOfLosses = (losses: readonly (Difference & { readonly node: string })[]): Block[] => [
  {
    type: "sentence",
    text: losses[0]
      ? `Worst to lose: ${losses[0].node} (${summaryOfDifference(losses[0])})`
      : "There are no nodes",
  },
  {
    type: "table",
    title: "Each node, if it went",
    columns: ["NODE", "WHAT WOULD BE"],
    rows: losses.map((loss) => [loss.node, summaryOfDifference(loss)]),
  },
];
