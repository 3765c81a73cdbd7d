// The one writer of a store. Commits queue up while a batch is being synced and form the next group:
//
//   queue → stage (check, number) → engine.write, one synced batch → one tick: publish, then answer every caller
//
// Nothing of a group can be read before it is durable, and a commit that is refused is answered together with the group
// that made it fail, so a caller who is told "already there" can read what is there. After a failed write nobody knows
// what the disk holds: the writer refuses everything from then on, and the state stays as it was last published.
import { pauseForOthers } from "../../meta/clock.ts";
import type { Revision } from "../../meta/revision.ts";
import type { Engine, EngineBatch, FailpointHook, RecordId } from "../engine.ts";
import { type Plan, type StoreChange, StoreError, type TransformOptions, type TxnOp } from "../store.ts";
import { assertCommit, StagedGroup, type StagedOn, stagePlan } from "./staged-group.ts";

/** One batch takes at most so many operations, and stops growing beyond so many bytes. */
const GROUP_OPS_MAX = 1024;
const GROUP_BYTES_MAX = 4 * 1024 * 1024;

export interface GroupWriterOptions {
  readonly engine: Engine;
  readonly state: StagedOn;
  readonly failpoint: FailpointHook;
  /** Works out in slices what many changes will make of the state; the writer changes nothing meanwhile. */
  prepare(changes: readonly StoreChange[]): Promise<() => void>;
  /** Makes durable changes readable and tells the watchers; must not throw. */
  publish(changes: readonly StoreChange[], transformed?: Transformed): void;
  /** Told once, of the write after which nothing is written any more; must not throw. */
  onFailure(error: StoreError): void;
}

/** What there is to a transformation beside its changes. */
export interface Transformed {
  /** Makes its changes readable: what prepare() has worked out. */
  show(): void;
  /** The past up to there is gone. */
  readonly forgotten: Revision | undefined;
}

interface Commit {
  readonly ops: readonly TxnOp[];
  resolve(revision: Revision): void;
  reject(error: unknown): void;
}

interface Transformation extends TransformOptions {
  readonly plan: Plan;
  resolve(revision: Revision): void;
  reject(error: unknown): void;
}

/** Compaction's part of a batch; it travels with whatever commits are waiting. */
export interface Chore {
  /** The new compacted revision, if it moves. */
  readonly compacted?: Revision;
  /** Frees something of the state once the chore's turn has come, and says which records go with it. */
  readonly forget?: () => readonly RecordId[];
}

interface QueuedChore {
  readonly chore: Chore;
  resolve(): void;
  reject(error: unknown): void;
}

export class GroupWriter {
  readonly #options: GroupWriterOptions;
  readonly #commits: (Commit | Transformation)[] = [];
  readonly #chores: QueuedChore[] = [];
  #running = false;
  #closing = false;
  #failure: StoreError | undefined;
  #drained: (() => void) | undefined;

  constructor(options: GroupWriterOptions) {
    this.#options = options;
  }

  /** True until all that was handed to it has been answered. */
  get busy(): boolean {
    return this.#running;
  }

  commit(ops: readonly TxnOp[]): Promise<Revision> {
    return new Promise((resolve, reject) => {
      assertCommit(ops);
      this.#assertOpen();
      this.#commits.push({ ops, resolve, reject });
      this.#schedule();
    });
  }

  /** Takes its turn among the commits, in a group of its own. */
  transform(plan: Plan, options: TransformOptions = {}): Promise<Revision> {
    return new Promise((resolve, reject) => {
      this.#assertOpen();
      this.#commits.push({ plan, ...options, resolve, reject });
      this.#schedule();
    });
  }

  write(chore: Chore): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#assertOpen();
      this.#chores.push({ chore, resolve, reject });
      this.#schedule();
    });
  }

  /** Refuses new work and resolves when all that was queued has been answered. */
  async close(): Promise<void> {
    this.#closing = true;
    if (!this.#running) return;
    await new Promise<void>((resolve) => {
      this.#drained = resolve;
    });
  }

  #assertOpen(): void {
    if (this.#closing) throw new StoreError("CLOSED", "the store is closed");
    if (this.#failure !== undefined) throw this.#failure;
  }

  // A group starts when the current tick has run out of microtasks: all callers that were just answered, and any that
  // started together, get their next commit into one group instead of the first of them travelling alone.
  #schedule(): void {
    if (this.#running) return;
    this.#running = true;
    queueMicrotask(() => process.nextTick(() => void this.#begin()));
  }

  // An engine without a disk never waits, so that a caller who writes again as soon as he is answered would keep all
  // others out, requests included.
  async #begin(): Promise<void> {
    const pause = pauseForOthers();
    if (pause !== undefined) await pause;
    await this.#runGroup();
  }

  async #runGroup(): Promise<void> {
    const [first] = this.#commits;
    if (first !== undefined && "plan" in first) {
      this.#commits.shift();
      await this.#transform(first);
      return;
    }
    const commits = this.#takeCommits();
    const chore = this.#chores.shift();
    const { compacted, forget } = chore?.chore ?? {};
    const staged = new StagedGroup(this.#options.state);
    const outcomes = commits.map((commit) => staged.add(commit.ops));
    try {
      await this.#makeDurable({ changes: staged.changes, forget: forget?.() ?? [], compacted });
    } catch (cause) {
      this.#fail(cause, commits, chore);
      return;
    }
    this.#options.publish(staged.changes);
    void this.#options.failpoint("beforeAnswer"); // nothing can hold or fail what can be read already
    for (const [index, commit] of commits.entries()) {
      const outcome = outcomes[index];
      if (typeof outcome === "number") commit.resolve(outcome);
      else commit.reject(outcome);
    }
    chore?.resolve();
    this.#finishGroup();
  }

  // It may concern all that there is: everything is done in slices but the publication.
  async #transform(transformation: Transformation): Promise<void> {
    const { plan, forgetPast = false, resolve, reject } = transformation;
    let staged: StagedGroup;
    let show: () => void;
    try {
      staged = await stagePlan(plan, this.#options.state);
      show = await this.#options.prepare(staged.changes);
    } catch (error) {
      reject(error);
      this.#finishGroup();
      return;
    }
    const { changes, revision } = staged;
    const forgotten = forgetPast ? revision : undefined;
    try {
      await this.#makeDurable({ changes, forget: [], compacted: forgotten });
    } catch (cause) {
      this.#fail(cause, [transformation], undefined);
      return;
    }
    this.#options.publish(changes, { show, forgotten });
    void this.#options.failpoint("beforeAnswer");
    resolve(revision);
    this.#finishGroup();
  }

  async #makeDurable(batch: EngineBatch): Promise<void> {
    if (batch.changes.length === 0 && batch.forget.length === 0 && batch.compacted === undefined) return;
    const { engine, failpoint } = this.#options;
    const held = failpoint("beforeWrite");
    if (held !== undefined) await held;
    const written = engine.write(batch);
    try {
      const heldMeanwhile = failpoint("duringWrite");
      if (heldMeanwhile !== undefined) await heldMeanwhile;
    } finally {
      await written; // whatever happens, the engine is not left at work
    }
    const heldAgain = failpoint("beforePublish");
    if (heldAgain !== undefined) await heldAgain;
  }

  #takeCommits(): readonly Commit[] {
    let ops = 0;
    let bytes = 0;
    const taken: Commit[] = [];
    for (const commit of this.#commits) {
      if ("plan" in commit) break;
      ops += commit.ops.length;
      bytes += valueBytes(commit.ops);
      if (taken.length > 0 && (ops > GROUP_OPS_MAX || bytes > GROUP_BYTES_MAX)) break;
      taken.push(commit);
    }
    this.#commits.splice(0, taken.length);
    return taken;
  }

  #finishGroup(): void {
    this.#running = false;
    if (this.#commits.length > 0 || this.#chores.length > 0) this.#schedule();
    else this.#drained?.();
  }

  #fail(cause: unknown, writes: readonly Pick<Commit, "reject">[], chore: QueuedChore | undefined): void {
    const { location } = this.#options.engine;
    const reason = cause instanceof Error ? cause.message : String(cause);
    const message = `${location} could not be written (${reason}): nothing more is accepted until the store is opened again`;
    const failure = new StoreError("UNREADABLE", message, { cause });
    if (this.#failure === undefined) this.#options.onFailure(failure);
    this.#failure = failure;
    for (const { reject } of [...writes, ...this.#commits.splice(0)]) reject(this.#failure);
    for (const { reject } of [...(chore === undefined ? [] : [chore]), ...this.#chores.splice(0)]) {
      reject(this.#failure);
    }
    this.#finishGroup();
  }
}

function valueBytes(ops: readonly TxnOp[]): number {
  let bytes = 0;
  for (const op of ops) if (op.type !== "delete") bytes += op.value.byteLength;
  return bytes;
}
