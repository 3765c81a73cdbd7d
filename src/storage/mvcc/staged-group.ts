// The commits of one group, checked one after the other: each sees the effects of those before it, none is readable yet.
import { pauseForOthers } from "../../meta/clock.ts";
import { type Revision, toRevision } from "../../meta/revision.ts";
import type { KeyValue, StoreChange, StoreEvent, TxnOp } from "../store.ts";
import { StoreError } from "../store-error.ts";

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
