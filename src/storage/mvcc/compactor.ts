// Compaction. First the compacted revision is made durable and moved. Only then are records deleted, in bounded slices
// between which commits proceed. A crash in between leaves records that the next start recognizes and deletes
// (recovery.ts).

import type { Revision } from "../../apimachinery/meta/revision.ts";
import { Sequence } from "../../apimachinery/meta/sequence.ts";
import type { FailpointHook } from "../engine.ts";
import { StoreError } from "../store.ts";
import type { GroupWriter } from "./group-writer.ts";
import type { MvccState } from "./mvcc-state.ts";

/** Limit of the events that one slice frees; a transformation has as many as there are objects. */
const SLICE_EVENTS_MAX = 250;

export interface CompactorOptions {
  readonly failpoint: FailpointHook;
  /** Called after a compaction. Must not throw. */
  readonly onCompacted?: ((before: Revision) => void) | undefined;
}

export class Compactor {
  readonly #state: MvccState;
  readonly #writer: GroupWriter;
  readonly #failpoint: FailpointHook;
  readonly #onCompacted: CompactorOptions["onCompacted"];
  /** Compactions run one after the other, so that the durable revision never moves back. */
  readonly #compactions = new Sequence();

  constructor(state: MvccState, writer: GroupWriter, { failpoint, onCompacted }: CompactorOptions) {
    this.#state = state;
    this.#writer = writer;
    this.#failpoint = failpoint;
    this.#onCompacted = onCompacted;
  }

  compact(before: Revision): Promise<void> {
    return this.#compactions.next(() => this.#run(before));
  }

  /**
   * Compaction by a write that moves the compacted revision itself. The history before it is freed after the write is
   * acknowledged.
   */
  async afterWrite(write: () => Promise<Revision>): Promise<Revision> {
    const revision = await this.#compactions.next(write);
    this.#compactions.next(() => this.#free()).catch(() => undefined); // the next compaction frees the records that remain
    return revision;
  }

  async #run(before: Revision): Promise<void> {
    if (before > this.#state.revision) {
      const message = `revision ${before} is not there yet, the newest is ${this.#state.revision}`;
      throw new StoreError("FUTURE_REVISION", message);
    }
    if (before <= this.#state.compacted) return;
    await this.#failpoint("beforeCompaction");
    await this.#writer.write(() => ({ forget: [], compacted: before }));
    this.#state.moveCompacted(before);
    await this.#free();
    this.#onCompacted?.(before);
  }

  async #free(): Promise<void> {
    while (this.#state.isForgetting) {
      await this.#failpoint("duringCompaction");
      await this.#writer.write(() => ({
        forget: this.#state.forgetOldest(SLICE_EVENTS_MAX),
        compacted: undefined,
      }));
    }
  }
}
