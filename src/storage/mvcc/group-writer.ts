// The only writer of a store. Commits queue up while a batch is being synced, and form the next group (group commit):
//
//   queue → stage (check, number) → engine.write, one synced batch → one tick: publish, then answer every caller
//
// Nothing of a group is readable before it is durable. A rejected commit is answered together with the group that
// caused the conflict, so the caller can read the state that it conflicts with. After a failed write the contents of
// the disk are unknown: the writer rejects all later writes, and the last published state stays readable.
import { momentNow, secondsSince } from "../../apimachinery/meta/clock.ts";
import type { Revision } from "../../apimachinery/meta/revision.ts";
import { pauseOneTurn } from "../../apimachinery/scheduling/event-loop.ts";
import { type Engine, type EngineBatch, type FailpointHook, reasonOf } from "../engine.ts";
import {
  type FencingToken,
  type Plan,
  type StoreChange,
  StoreError,
  type TransformOptions,
  type TxnOp,
} from "../store.ts";
import type { StoreMetrics } from "../store-metrics.ts";
import { type GuardedOps, type StagedGroup, type StagedOn, stageGroup } from "./staged-group.ts";

/** Limits of a batch: at most so many operations, and it stops growing beyond so many bytes. */
const GROUP_OPS_MAX = 1024;
const GROUP_BYTES_MAX = 4 * 1024 * 1024;

export interface GroupWriterOptions {
  readonly engine: Engine;
  readonly state: StagedOn;
  readonly failpoint: FailpointHook;
  readonly metrics: StoreMetrics;
  /** Computes the new state for many changes in slices; the writer changes nothing meanwhile. */
  prepare(changes: readonly StoreChange[]): Promise<() => void>;
  /** Makes durable changes readable and notifies the watchers. Must not throw. */
  publish(changes: readonly StoreChange[], transformed?: Transformed): void;
  /** Called once, with the first failed write. Later writes are rejected. Must not throw. */
  onFailure(error: StoreError): void;
}

/** What a transformation has beyond its changes. */
export interface Transformed {
  /** Makes its changes readable, as prepare() has computed them. */
  show(): void;
  /** The new compacted revision, if the transformation compacts. */
  readonly forgotten: Revision | undefined;
}

/** Queued work and the promise of its caller. */
interface Work {
  resolve(revision: Revision): void;
  reject(error: unknown): void;
}

interface Commit extends Work, GuardedOps {
  readonly queuedAt: number;
}

/** Work that is a group of its own. */
interface Alone extends Work {
  stage(): Promise<Group>;
}

/** Commits that are written in one batch. */
interface Group extends Pick<StagedGroup, "outcomes"> {
  readonly batch: EngineBatch;
  /** Called once the batch is durable. */
  publish?(): void;
}

export class GroupWriter {
  readonly #options: GroupWriterOptions;
  readonly #queue: (Commit | Alone)[] = [];
  #running = false;
  #closing = false;
  #failure: StoreError | undefined;
  #drained: (() => void) | undefined;

  constructor(options: GroupWriterOptions) {
    this.#options = options;
  }

  /** True until all queued work has been answered. */
  get busy(): boolean {
    return this.#running;
  }

  commit(ops: readonly TxnOp[], fencingToken?: FencingToken): Promise<Revision> {
    return this.#enqueue({ ops, fencingToken, queuedAt: momentNow() });
  }

  /** May change every key of the store. All steps but the publication run in slices. */
  transform(plan: Plan, { forgetPast = false }: TransformOptions = {}): Promise<Revision> {
    const { state, prepare, publish } = this.#options;
    const stage = async (): Promise<Group> => {
      const { changes, outcomes, revision } = await stageGroup(
        state,
        (await plan()).map((ops) => ({ ops })),
      );
      for (const outcome of outcomes) if (outcome instanceof Error) throw outcome;
      const show = await prepare(changes);
      const forgotten = forgetPast ? revision : undefined;
      return {
        batch: { changes, forget: [], compacted: forgotten },
        publish: () => publish(changes, { show, forgotten }),
        outcomes: [revision],
      };
    };
    return this.#enqueue({ stage });
  }

  /** Writes compaction's part of a batch, which is computed when its group is staged. */
  async write(part: () => Omit<EngineBatch, "changes">): Promise<void> {
    const outcomes = [this.#options.state.revision];
    await this.#enqueue({ stage: async () => ({ batch: { changes: [], ...part() }, outcomes }) });
  }

  /** Rejects new work and resolves when all queued work has been answered. */
  async close(): Promise<void> {
    this.#closing = true;
    if (!this.#running) return;
    await new Promise<void>((resolve) => {
      this.#drained = resolve;
    });
  }

  #enqueue(work: Omit<Commit, keyof Work> | Omit<Alone, keyof Work>): Promise<Revision> {
    return new Promise((resolve, reject) => {
      if (this.#closing) throw new StoreError("CLOSED", "the store is closed");
      if (this.#failure !== undefined) throw this.#failure;
      this.#queue.push({ ...work, resolve, reject });
      this.#schedule();
    });
  }

  // A group starts when the current tick has no microtasks left. All callers that were just answered, or that started
  // together, then get their next commits into one group.
  #schedule(): void {
    if (this.#running) return;
    this.#running = true;
    queueMicrotask(() => process.nextTick(() => void this.#begin()));
  }

  // Yields first: an engine without a disk never waits for I/O. Otherwise a caller that commits again after each answer
  // would block the event loop, requests included.
  async #begin(): Promise<void> {
    await pauseOneTurn();
    const [first] = this.#queue;
    if (first !== undefined && "stage" in first) {
      this.#queue.shift();
      await this.#run([first], () => first.stage());
    } else {
      const commits = this.#takeCommits();
      await this.#run(commits, () => this.#stageCommits(commits));
    }
    this.#running = false;
    if (this.#queue.length > 0) this.#schedule();
    else this.#drained?.();
  }

  async #stageCommits(commits: readonly Commit[]): Promise<Group> {
    const { state, publish } = this.#options;
    const { changes, outcomes } = await stageGroup(state, commits);
    const batch = { changes, forget: [], compacted: undefined };
    return { batch, publish: () => publish(changes), outcomes };
  }

  async #run(works: readonly Work[], stage: () => Promise<Group>): Promise<void> {
    let group: Group;
    try {
      group = await stage();
    } catch (error) {
      for (const { reject } of works) reject(error);
      return;
    }
    try {
      await this.#makeDurable(group.batch);
    } catch (cause) {
      this.#fail(cause, works);
      return;
    }
    group.publish?.();
    void this.#options.failpoint("beforeAnswer"); // readable changes can be neither held nor failed
    for (const [index, work] of works.entries()) {
      const { resolve, reject } = work;
      const outcome = group.outcomes[index];
      this.#count(work);
      if (typeof outcome === "number") resolve(outcome);
      else reject(outcome);
    }
  }

  async #makeDurable(batch: EngineBatch): Promise<void> {
    if (batch.changes.length === 0 && batch.forget.length === 0 && batch.compacted === undefined) return;
    const { engine, failpoint } = this.#options;
    await failpoint("beforeWrite");
    const written = engine.write(batch);
    try {
      await failpoint("duringWrite");
    } finally {
      await written; // in any case, do not leave the engine writing
    }
    await failpoint("beforePublish");
  }

  #takeCommits(): readonly Commit[] {
    let ops = 0;
    let bytes = 0;
    const taken: Commit[] = [];
    for (const work of this.#queue) {
      if ("stage" in work) break;
      ops += work.ops.length;
      bytes += valueBytes(work.ops);
      if (taken.length > 0 && (ops > GROUP_OPS_MAX || bytes > GROUP_BYTES_MAX)) break;
      taken.push(work);
    }
    this.#queue.splice(0, taken.length);
    return taken;
  }

  #fail(cause: unknown, works: readonly Work[]): void {
    const { engine, onFailure } = this.#options;
    const message = `${engine.location} could not be written (${reasonOf(cause)}): nothing more is accepted until the store is opened again`;
    const failure = new StoreError("UNREADABLE", message, { cause });
    this.#failure = failure;
    onFailure(failure);
    for (const work of [...works, ...this.#queue.splice(0)]) {
      this.#count(work, true);
      work.reject(failure);
    }
  }

  #count(work: Work | Commit, hasFailed = false): void {
    if (!("ops" in work)) return;
    const [op] = work.ops;
    if (op === undefined) return;
    this.#options.metrics.of(op.key).done(op.type, secondsSince(work.queuedAt), hasFailed);
  }
}

function valueBytes(ops: readonly TxnOp[]): number {
  let bytes = 0;
  for (const op of ops) if (op.type !== "delete") bytes += op.value.byteLength;
  return bytes;
}
