// Watches are Ordered, Unique, Reliable and Resumable: from a list on, over all servers and interruptions, a watcher has
// received exactly the history up to its last event.
import type { Change, Truth } from "./truth.ts";
import type { SeenEvent, Stretch } from "./watchers.ts";

const SHOWN_AROUND = 2;

export function checkWatches(stretches: readonly Stretch[], truth: Truth): string[] {
  const findings: string[] = [];
  for (const { list, events, upTo } of stretches) {
    const began = [...list.objects].map(([name, { mark, revision }]) => `${name} ${mark} ${revision}`).sort();
    const state = [...truth.stateAt(list.revision)].map(
      ([name, { mark, revision }]) => `${name} ${mark} ${revision}`,
    );
    if (began.join() !== state.sort().join())
      findings.push(`the list of ${list.revision} is not what was there: ${began} instead of ${state}`);
    const seen = events.map(showSeen);
    const real = truth.between(list.revision, upTo).map(showChange);
    const wrong = real.findIndex((text, index) => text !== seen[index]);
    const at = wrong === -1 && seen.length > real.length ? real.length : wrong;
    if (at >= 0) {
      const part = (all: readonly string[]) =>
        all.slice(Math.max(0, at - SHOWN_AROUND), at + SHOWN_AROUND + 1);
      findings.push(
        `a watch from ${list.revision} saw ${part(seen).join("; ")} instead of ${part(real).join("; ")}`,
      );
    }
  }
  return findings;
}

const showSeen = ({ type, name, mark, revision }: SeenEvent): string =>
  `${type} ${name} ${mark} at ${revision}`;

function showChange({ name, mark, revision, before }: Change): string {
  const type = mark === undefined ? "DELETED" : before?.mark === undefined ? "ADDED" : "MODIFIED";
  return `${type} ${name} ${mark ?? before?.mark} at ${revision}`;
}
