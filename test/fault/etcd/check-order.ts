// Linearizability. Revisions order all writes, so it is enough that this order, and what reads observed of it, agrees with
// every client's clock: an operation that begins after another was answered comes after it. Each read takes its earliest
// possible position, which constrains the others least.
import type { Operation } from "./clients.ts";
import type { Truth } from "./truth.ts";

export function checkOrder(history: readonly Operation[], truth: Truth): string[] {
  const findings: string[] = [];
  const writers = new Map(history.map((operation) => [operation.mark, operation]));
  /** For each operation the highest revision that was answered before it began. */
  const floors = new Map<Operation, number>();
  let floor = 0;
  for (const { operation, isEnd } of moments(history)) {
    if (!isEnd) {
      floors.set(operation, floor);
      continue;
    }
    const place = placeOf(operation, floors.get(operation) ?? 0, truth);
    if (typeof place === "string") findings.push(`${show(operation)}: ${place}`);
    else floor = Math.max(floor, place);
    for (const mark of marksSeen(operation)) {
      const writer = writers.get(mark);
      if (writer === undefined || writer.startMs > operation.endMs)
        findings.push(`${show(operation)}: saw ${mark} before it was asked for`);
    }
  }
  return findings;
}

/** Returns the earliest possible revision of the operation, or the reason why there is none. */
function placeOf(operation: Operation, floor: number, truth: Truth): number | string {
  const { asked, outcome, revision = 0, name, seen } = operation;
  if (outcome === "absent") return placeOfAbsent(name, floor, truth);
  if (outcome !== "done") return floor;
  if (asked === "list") {
    if (revision < floor) return `is of ${revision}, and ${floor} had been seen`;
    const state = truth.stateAt(revision);
    return sameObjects(seen?.objects ?? new Map(), state) ? revision : `is not what was there at ${revision}`;
  }
  if (asked !== "read") return revision > floor ? revision : `got ${revision} after ${floor} had been seen`;
  const change = truth.at(revision);
  if (change?.name !== name || change.mark !== seen?.objects.get(name)?.mark)
    return `saw at ${revision} what was never there`;
  const next = truth.after(name, revision);
  if (next !== undefined && next.revision <= floor)
    return `saw ${revision}, and ${next.revision} had replaced it before ${floor} was seen`;
  return Math.max(revision, floor);
}

function placeOfAbsent(name: string, floor: number, truth: Truth): number | string {
  const changes = truth.of(name);
  let last = changes.findLast((change) => change.revision <= floor);
  if (last?.mark === undefined) return floor;
  while (last?.mark !== undefined) last = truth.after(name, last.revision);
  return last?.revision ?? `was not there, and nobody had deleted it since ${floor}`;
}

function sameObjects(
  seen: ReadonlyMap<string, { readonly mark: string; readonly revision: number }>,
  state: ReadonlyMap<string, { readonly mark: string; readonly revision: number }>,
): boolean {
  if (seen.size !== state.size) return false;
  for (const [name, { mark, revision }] of seen) {
    const there = state.get(name);
    if (there?.mark !== mark || there.revision !== revision) return false;
  }
  return true;
}

const marksSeen = ({ asked, outcome, seen }: Operation): string[] =>
  outcome === "done" && (asked === "read" || asked === "list")
    ? [...(seen?.objects.values() ?? [])].map(({ mark }) => mark)
    : [];

/** Beginnings and ends by time; at the same time beginnings come first, which agrees with every clock. */
function moments(history: readonly Operation[]): { operation: Operation; isEnd: boolean }[] {
  const all = history.flatMap((operation) => [
    { operation, isEnd: false, at: operation.startMs },
    ...(operation.endMs === Number.POSITIVE_INFINITY
      ? []
      : [{ operation, isEnd: true, at: operation.endMs }]),
  ]);
  return all.sort((a, b) => a.at - b.at || Number(a.isEnd) - Number(b.isEnd));
}

const show = ({ asked, name, mark, server, startMs, endMs }: Operation): string =>
  `${asked} of ${name} ${mark} at server ${server} (${startMs.toFixed()}-${endMs.toFixed()})`;
