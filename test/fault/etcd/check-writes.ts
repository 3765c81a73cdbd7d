// Every write answered as done happened exactly once, a refused one never, and one with an unknown outcome at most once.
import type { Operation } from "./clients.ts";
import type { Change, Truth } from "./truth.ts";

const WRITES = new Set<string>(["create", "update", "patch", "delete"]);

/**
 * Returns the findings about the writes, empty if all are correct. Records the revisions of deletions, which no answer
 * contains.
 */
export function checkWrites(history: readonly Operation[], truth: Truth): string[] {
  const writes = history.filter(({ asked }) => WRITES.has(asked));
  const writers = new Map(writes.filter(({ asked }) => asked !== "delete").map((one) => [one.mark, one]));
  const findings: string[] = [];
  const done = new Map<string, Change>();
  for (const change of truth.changes) {
    const { mark, revision, name } = change;
    if (mark === undefined) continue;
    const writer = writers.get(mark);
    if (writer === undefined || writer.outcome === "refused")
      findings.push(`${name} at ${revision}: nobody was allowed to write ${mark}, ${writer?.answer}`);
    if (done.has(mark))
      findings.push(`${mark} was applied twice, at ${done.get(mark)?.revision} and ${revision}`);
    if (writer !== undefined) findings.push(...misplaced(writer, change));
    done.set(mark, change);
  }
  for (const { mark, name, outcome, revision } of writers.values()) {
    if (outcome === "done" && done.get(mark)?.revision !== revision)
      findings.push(
        `${name}: ${mark} was acknowledged at ${revision}, and is at ${done.get(mark)?.revision}`,
      );
  }
  return [
    ...findings,
    ...checkDeletions(
      writes.filter(({ asked }) => asked === "delete"),
      truth,
    ),
  ];
}

/** A write that was applied to another state than the one it was bound to. */
function misplaced(writer: Operation, { before, name, revision }: Change): string[] {
  const { asked, bound } = writer;
  const isThere = before?.mark !== undefined;
  const isMeant =
    asked === "create" ? !isThere : isThere && (bound === undefined || before.revision === bound);
  if (isMeant && writer.name === name) return [];
  return [
    `${asked} of ${writer.name} bound to ${bound} was done to ${name} at ${revision} after ${before?.revision}`,
  ];
}

function checkDeletions(deletions: readonly Operation[], truth: Truth): string[] {
  const findings: string[] = [];
  const explained = new Set<Change>();
  for (const deletion of deletions) {
    if (deletion.outcome !== "done") continue;
    const { name, bound = 0 } = deletion;
    const change = truth.after(name, bound);
    const isDone = change?.mark === undefined && change?.before?.revision === bound;
    if (change === undefined || !isDone)
      findings.push(`${name}: its deletion after ${bound} was acknowledged and is not there`);
    else if (explained.has(change)) findings.push(`${name}: two deletions after ${bound} were acknowledged`);
    else {
      explained.add(change);
      deletion.revision = change.revision;
    }
  }
  for (const change of truth.changes) {
    if (change.mark !== undefined || explained.has(change)) continue;
    const { name, before, revision } = change;
    const maybe = deletions.some(
      (one) => one.outcome === "unknown" && one.name === name && one.bound === before?.revision,
    );
    if (!maybe) findings.push(`${name} was deleted at ${revision} and nobody has asked for it`);
  }
  return findings;
}
