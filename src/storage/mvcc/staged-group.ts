// Commits that become durable together. They are checked one after the other: each sees the effects of those before it,
// and none is readable yet.
import { type Revision, toRevision } from "../../apimachinery/meta/revision.ts";
import { pauseOneTurn } from "../../apimachinery/scheduling/event-loop.ts";
import {
  eventKey,
  type FencingToken,
  type KeyValue,
  type StoreChange,
  StoreError,
  type StoreEvent,
  type TxnOp,
} from "../store.ts";
import { storedBytes } from "./value-slabs.ts";

export interface GuardedOps {
  readonly ops: readonly TxnOp[];
  readonly fencingToken?: FencingToken | undefined;
}

export interface StagedOn {
  readonly revision: Revision;
  get(key: string): KeyValue | undefined;
}

export interface StagedGroup {
  /** The changes of the accepted commits, each at a revision of its own. */
  readonly changes: readonly StoreChange[];
  /** Per commit: its revision if it is accepted, otherwise the error of its first rejected operation. */
  readonly outcomes: readonly (Revision | Error)[];
  /** The revision of the last accepted commit; that of the state when there is none. */
  readonly revision: Revision;
}

/** Runs in slices when there are many operations. The state must not change meanwhile. */
export async function stageGroup(state: StagedOn, commits: readonly GuardedOps[]): Promise<StagedGroup> {
  /** Keys that accepted commits have changed; undefined: deleted. */
  const overlay = new Map<string, KeyValue | undefined>();
  const present = (key: string) => (overlay.has(key) ? overlay.get(key) : state.get(key));
  const changes: StoreChange[] = [];
  const outcomes: (Revision | Error)[] = [];
  let { revision } = state;
  for (const { ops, fencingToken } of commits) {
    const next = toRevision(revision + 1);
    const events =
      fencingToken === undefined || isAsItWas(fencingToken, present(fencingToken.key))
        ? await stageCommit(ops, next, present)
        : guardedError(fencingToken);
    outcomes.push(events instanceof Error ? events : next);
    if (events instanceof Error) continue;
    for (const event of events) overlay.set(eventKey(event), event.type === "put" ? event.kv : undefined);
    changes.push({ revision: next, events });
    revision = next;
  }
  return { changes, outcomes, revision };
}

/** A TypeError for a malformed commit, which is a mistake of the caller. */
async function stageCommit(
  ops: readonly TxnOp[],
  revision: Revision,
  present: StagedOn["get"],
): Promise<StoreEvent[] | Error> {
  const mistake = mistakeIn(ops);
  if (mistake !== undefined) return mistake;
  const events: StoreEvent[] = [];
  for (const op of ops) {
    const event = stageOp(op, present(op.key), revision);
    if (event instanceof StoreError) return event;
    events.push(event);
    const pause = pauseOneTurn();
    if (pause !== undefined) await pause;
  }
  return events;
}

/** Returns why a commit is malformed, which is a mistake of the caller. */
export function mistakeIn(ops: readonly TxnOp[]): TypeError | undefined {
  if (ops.length === 0) return new TypeError("a commit needs at least one operation");
  const keys = new Set<string>();
  for (const { key } of ops) {
    if (key === "") return new TypeError("a key must not be empty");
    if (keys.has(key)) return new TypeError("a commit may touch a key only once");
    keys.add(key);
  }
  return undefined;
}

const isAsItWas = ({ modRevision }: FencingToken, present: KeyValue | undefined): boolean =>
  present?.modRevision === modRevision;

export const guardedError = ({ key, modRevision }: FencingToken): StoreError =>
  new StoreError("GUARDED", `${key} is no longer as it was at revision ${modRevision}`);

/** The event that an operation results in, or the error that rejects it. */
export function stageOp(op: TxnOp, prev: KeyValue | undefined, revision: Revision): StoreEvent | StoreError {
  const { key } = op;
  if (op.type === "create") {
    if (prev !== undefined) return new StoreError("KEY_EXISTS", `${key} is already there`);
    const kv = { key, value: storedBytes(op.value), createRevision: revision, modRevision: revision };
    return { type: "put", kv, prev };
  }
  if (prev === undefined) return new StoreError("REVISION_MISMATCH", `${key} is not there`);
  if (prev.modRevision !== op.ifModRevision) {
    const message = `${key} is at revision ${prev.modRevision}, not at ${op.ifModRevision}`;
    return new StoreError("REVISION_MISMATCH", message);
  }
  if (op.type === "delete") return { type: "delete", key, revision, prev };
  // All versions of a key share one key string.
  const { key: sameKey, createRevision } = prev;
  const kv = { key: sameKey, value: storedBytes(op.value), createRevision, modRevision: revision };
  return { type: "put", kv, prev };
}
