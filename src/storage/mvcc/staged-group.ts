// The commits of one group, checked one after the other: each sees the effects of those before it, none is readable yet.
import { pauseForOthers } from "../../meta/clock.ts";
import { inSlices } from "../../meta/lists.ts";
import { type Revision, toRevision } from "../../meta/revision.ts";
import {
  type KeyValue,
  type Plan,
  type StoreChange,
  StoreError,
  type StoreEvent,
  type TxnOp,
} from "../store.ts";

export interface StagedOn {
  readonly revision: Revision;
  get(key: string): KeyValue | undefined;
}

export class StagedGroup {
  readonly #state: StagedOn;
  /** What accepted commits made of a key; undefined: they deleted it. */
  readonly #overlay = new Map<string, KeyValue | undefined>();
  readonly #changes: StoreChange[] = [];
  #revision: Revision;

  constructor(state: StagedOn) {
    this.#state = state;
    this.#revision = state.revision;
  }

  /** That of the last accepted commit, or of the state when there is none. */
  get revision(): Revision {
    return this.#revision;
  }

  get changes(): readonly StoreChange[] {
    return this.#changes;
  }

  /** The commit's revision if all its operations may be done, otherwise why the first one may not. */
  add(ops: readonly TxnOp[]): Revision | StoreError {
    const events: StoreEvent[] = [];
    for (const op of ops) {
      const event = this.#stage(op);
      if (event instanceof StoreError) return event;
      events.push(event);
    }
    return this.#accept(events);
  }

  /** As add, in slices where there is much of it; neither the state nor the group may change meanwhile. */
  async addInSlices(ops: readonly TxnOp[]): Promise<Revision | StoreError> {
    const events: StoreEvent[] = [];
    for (const op of ops) {
      const event = this.#stage(op);
      if (event instanceof StoreError) return event;
      events.push(event);
      const pause = pauseForOthers();
      if (pause !== undefined) await pause;
    }
    return this.#accept(events);
  }

  #stage(op: TxnOp): StoreEvent | StoreError {
    const prev = this.#overlay.has(op.key) ? this.#overlay.get(op.key) : this.#state.get(op.key);
    return stageOp(op, prev, toRevision(this.#revision + 1));
  }

  #accept(events: readonly StoreEvent[]): Revision {
    for (const event of events) {
      if (event.type === "put") this.#overlay.set(event.kv.key, event.kv);
      else this.#overlay.set(event.key, undefined);
    }
    this.#revision = toRevision(this.#revision + 1);
    this.#changes.push({ revision: this.#revision, events });
    return this.#revision;
  }
}

function stageOp(op: TxnOp, prev: KeyValue | undefined, revision: Revision): StoreEvent | StoreError {
  const { key } = op;
  if (op.type === "create") {
    if (prev !== undefined) return new StoreError("KEY_EXISTS", `${key} is already there`);
    const kv = { key, value: op.value, createRevision: revision, modRevision: revision };
    return { type: "put", kv, prev };
  }
  if (prev === undefined) return new StoreError("REVISION_MISMATCH", `${key} is not there`);
  if (prev.modRevision !== op.ifModRevision) {
    const message = `${key} is at revision ${prev.modRevision}, not at ${op.ifModRevision}`;
    return new StoreError("REVISION_MISMATCH", message);
  }
  if (op.type === "delete") return { type: "delete", key, revision, prev };
  const kv = { key, value: op.value, createRevision: prev.createRevision, modRevision: revision };
  return { type: "put", kv, prev };
}

// What a plan says, checked and numbered like any group, but in slices: it may concern everything that there is.

/** The state must not change before it is done. Throws what the plan throws, and why an operation may not be done. */
export async function stagePlan(plan: Plan, state: StagedOn): Promise<StagedGroup> {
  const staged = new StagedGroup(state);
  for (const ops of await plan()) await stageCommit(staged, ops);
  return staged;
}

async function stageCommit(staged: StagedGroup, ops: readonly TxnOp[]): Promise<void> {
  await assertCommitInSlices(ops);
  const outcome = await staged.addInSlices(ops);
  if (outcome instanceof StoreError) throw outcome;
}

// A commit that can never be done is a mistake of the caller, not an outcome.

/** Throws TypeError. */
export function assertCommit(ops: readonly TxnOp[]): void {
  assertSome(ops);
  if (ops.some((op) => op.key === "")) throw new TypeError(EMPTY_KEY);
  if (ops.length > 1 && new Set(ops.map((op) => op.key)).size < ops.length) throw new TypeError(KEY_TWICE);
}

/** As assertCommit, in slices where there are many. */
export async function assertCommitInSlices(ops: readonly TxnOp[]): Promise<void> {
  assertSome(ops);
  const keys = new Set<string>();
  await inSlices(ops, ({ key }) => keys.add(key));
  if (keys.has("")) throw new TypeError(EMPTY_KEY);
  if (keys.size < ops.length) throw new TypeError(KEY_TWICE);
}

const EMPTY_KEY = "a key must not be empty";
const KEY_TWICE = "a commit may touch a key only once";

function assertSome(ops: readonly TxnOp[]): void {
  if (ops.length === 0) throw new TypeError("a commit needs at least one operation");
}
