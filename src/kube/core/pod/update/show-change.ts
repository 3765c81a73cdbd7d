// Diff of a pod's spec in the error of a rejected update. A worker thread computes it for a large spec.
import type { JsonObject } from "../../../../apimachinery/json/json.ts";
import { decodeJson } from "../../../../apimachinery/json/json-decode.ts";
import { encodeJson, escapeHtml } from "../../../../apimachinery/json/json-encode.ts";
import { nextTurn } from "../../../../apimachinery/scheduling/event-loop.ts";
import type { Job, Workers } from "../../../../apimachinery/workers/job.ts";
import { podSpecStruct } from "../../../../apiserver/registry/strategy/internal-struct.ts";
import { type Block, matchingBlocks, pairsBetween } from "./matching-blocks.ts";

export interface SpecChange {
  readonly before: JsonObject;
  readonly after: JsonObject;
}

/** "" where the spec contains a struct that cannot be shown. */
export function showChange(change: SpecChange): string {
  const [before, after] = [specLines(change.before), specLines(change.after)];
  return before && after ? `\n${unifiedDiff(before, after)}` : "";
}

/** Specs as JSON. */
interface ChangeText {
  readonly before: string;
  readonly after: string;
}

export const showChangeJob: Job<ChangeText, string> = {
  name: "showPodChange",
  run: ({ before, after }) => showChange({ before: specOf(before), after: specOf(after) }),
};

const specOf = (text: string): JsonObject => decodeJson(text).value as JsonObject; // it was one when it was encoded

/** Rejects with 413, 429 and 504. */
export async function showChangeElsewhere(change: SpecChange, workers: Workers): Promise<string> {
  await nextTurn();
  const before = encodeJson(change.before);
  await nextTurn();
  const after = encodeJson(change.after);
  return workers.run(showChangeJob, { before, after });
}

/** JSON of the struct, one member per line, including unset ones; undefined where a part cannot be shown. */
export function specLines(spec: JsonObject): string[] | undefined {
  const shown = podSpecStruct(spec);
  return shown && linesOf(shown);
}

const linesOf = (struct: JsonObject): string[] => JSON.stringify(struct, null, 1).split("\n").map(escapeHtml);

/** Diff of two structs of the same type, for errors. */
export const showStructChange = (before: JsonObject, after: JsonObject): string =>
  `\n${unifiedDiff(linesOf(before), linesOf(after))}`;

// Unified diff of two texts as by Python's difflib: the longest run of equal lines first, then to its left and right.
// Upstream's errors show changes in this format.

interface Change {
  readonly equal: boolean;
  readonly fromA: number;
  readonly toA: number;
  readonly fromB: number;
  readonly toB: number;
}

/** Context lines around a change. */
const CONTEXT = 3;
/** Maximal number of compared lines, starting near the first difference. A last line reports the number of skipped lines. */
const LINES_MAX = 50_000;
/** Maximal number of equal line pairs in the compared part; it is halved until it has fewer. About 200 ms. */
const PAIRS_MAX = 500_000;

/** The changed parts from a to b with their context; "" when the texts are equal. Every line ends with a newline. */
export function unifiedDiff(a: readonly string[], b: readonly string[]): string {
  const { from, to } = comparedPart(a, b);
  const [ofA, ofB] = [a.slice(from, to), b.slice(from, to)];
  const changes = changesOf(matchingBlocks(ofA, ofB), ofA.length, ofB.length);
  const text = groupsOf(changes)
    .map((group) => showGroup(group, { a: ofA, b: ofB, from }))
    .join("");
  const left = Math.max(a.length, b.length) - to;
  return left > 0 ? `${text}... // ${left} more lines are not compared\n` : text;
}

/** Texts below the limits are compared as a whole. */
function comparedPart(a: readonly string[], b: readonly string[]): { from: number; to: number } {
  const length = Math.max(a.length, b.length);
  if (length <= LINES_MAX && pairsBetween(a, b) <= PAIRS_MAX) return { from: 0, to: length };
  let equal = 0;
  while (equal < length && a[equal] === b[equal]) equal++;
  const from = Math.max(0, equal - CONTEXT);
  let lines = Math.min(LINES_MAX, length - from);
  while (pairsBetween(a.slice(from, from + lines), b.slice(from, from + lines)) > PAIRS_MAX) {
    lines = Math.floor(lines / 2);
  }
  return { from, to: from + lines };
}

function changesOf(blocks: readonly Block[], aLength: number, bLength: number): Change[] {
  const changes: Change[] = [];
  let [i, j] = [0, 0];
  for (const { a, b, size } of [...blocks, { a: aLength, b: bLength, size: 0 }]) {
    if (i < a || j < b) changes.push({ equal: false, fromA: i, toA: a, fromB: j, toB: b });
    i = a + size;
    j = b + size;
    if (size > 0) changes.push({ equal: true, fromA: a, toA: i, fromB: b, toB: j });
  }
  return changes;
}

/** Nearby changes are shown in one group. */
function groupsOf(changes: readonly Change[]): Change[][] {
  const groups: Change[][] = [];
  let group: Change[] = [];
  changes.forEach((change, index) => {
    if (!change.equal) {
      group.push(change);
      return;
    }
    const length = change.toA - change.fromA;
    const isFirst = index === 0;
    const isLast = index === changes.length - 1;
    if (isFirst && isLast) return;
    if (isFirst) group.push(lastOf(change));
    else if (isLast) group.push(firstOf(change));
    else if (length <= 2 * CONTEXT) group.push(change);
    else {
      group.push(firstOf(change));
      groups.push(group);
      group = [lastOf(change)];
    }
  });
  if (group.some(({ equal }) => !equal)) groups.push(group);
  return groups;
}

const firstOf = (change: Change): Change => ({
  ...change,
  toA: Math.min(change.toA, change.fromA + CONTEXT),
  toB: Math.min(change.toB, change.fromB + CONTEXT),
});

const lastOf = (change: Change): Change => ({
  ...change,
  fromA: Math.max(change.fromA, change.toA - CONTEXT),
  fromB: Math.max(change.fromB, change.toB - CONTEXT),
});

interface Compared {
  readonly a: readonly string[];
  readonly b: readonly string[];
  /** Offset of the first lines in the whole texts. */
  readonly from: number;
}

function showGroup(group: readonly Change[], { a, b, from }: Compared): string {
  const [first, last] = [group[0], group.at(-1)];
  if (first === undefined || last === undefined) return "";
  const head = `@@ -${showRange(from + first.fromA, from + last.toA)} +${showRange(from + first.fromB, from + last.toB)} @@\n`;
  const show = (sign: string, lines: readonly string[]) => lines.map((line) => `${sign}${line}\n`).join("");
  const body = group.map(({ equal, fromA, toA, fromB, toB }) =>
    equal ? show(" ", a.slice(fromA, toA)) : show("-", a.slice(fromA, toA)) + show("+", b.slice(fromB, toB)),
  );
  return head + body.join("");
}

function showRange(from: number, to: number): string {
  const length = to - from;
  if (length === 1) return String(from + 1);
  return `${length === 0 ? from : from + 1},${length}`;
}
