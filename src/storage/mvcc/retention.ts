// How long history is kept: by age, by number of revisions and by the bytes of superseded values, whichever is reached
// first. Age is known by marks that are set as time passes, so history is kept up to a fifth longer than asked for.
import type { Clock, Timer } from "../../meta/clock.ts";
import { type Revision, toRevision } from "../../meta/revision.ts";
import { StoreError } from "../store.ts";
import type { MvccState } from "./mvcc-state.ts";

export interface HistoryLimits {
  /** After so long a superseded state may be forgotten. */
  readonly retainMs: number;
  readonly revisionsMax: number;
  /** The sizes of values that were replaced or deleted, all together. */
  readonly bytesMax: number;
}

/** Nothing is forgotten unless it is asked for. */
export const UNLIMITED_HISTORY: HistoryLimits = {
  retainMs: Number.POSITIVE_INFINITY,
  revisionsMax: Number.POSITIVE_INFINITY,
  bytesMax: Number.POSITIVE_INFINITY,
};

export const DEFAULT_HISTORY_LIMITS: HistoryLimits = {
  retainMs: 5 * 60_000,
  revisionsMax: 100_000,
  bytesMax: 256 * 1024 * 1024,
};

const MARKS_PER_RETENTION = 5;
const MARK_INTERVAL_MIN_MS = 1000;
/** A limit that is reached frees a tenth of it, so that compaction comes in steps and not with every commit. */
const KEPT_AFTER_LIMIT = 0.9;

interface Mark {
  readonly atMs: number;
  readonly revision: Revision;
}

export interface RetentionOptions {
  readonly clock: Clock;
  readonly limits: HistoryLimits;
  readonly state: MvccState;
  compact(before: Revision): Promise<void>;
}

export class Retention {
  readonly #options: RetentionOptions;
  readonly #marks: Mark[] = [];
  #timer: Timer | undefined;
  #compacting = false;

  constructor(options: RetentionOptions) {
    this.#options = options;
    if (options.limits.retainMs < Number.POSITIVE_INFINITY) this.#mark();
  }

  /** What a publication may still set off finds the writer closed. */
  stop(): void {
    this.#timer?.cancel();
  }

  /** The marks that were set are of revisions which mean something else by now. */
  forgetMarks(): void {
    this.#marks.length = 0;
  }

  /** Called after each published group; costs two comparisons while history is within its limits. */
  afterPublish(): void {
    const { limits, state } = this.#options;
    if (state.revision - state.compacted > limits.revisionsMax) {
      this.#compact(toRevision(state.revision - Math.floor(limits.revisionsMax * KEPT_AFTER_LIMIT)));
    } else if (state.supersededBytes > limits.bytesMax) {
      this.#compact(state.revisionForBytes(limits.bytesMax * KEPT_AFTER_LIMIT));
    }
  }

  #mark(): void {
    const { clock, limits, state } = this.#options;
    const now = clock.now();
    this.#marks.push({ atMs: now, revision: state.revision });
    let expired: Mark | undefined;
    while (this.#marks[0] !== undefined && this.#marks[0].atMs <= now - limits.retainMs) {
      expired = this.#marks.shift();
    }
    if (expired !== undefined) this.#compact(expired.revision);
    const interval = Math.max(limits.retainMs / MARKS_PER_RETENTION, MARK_INTERVAL_MIN_MS);
    this.#timer = clock.after(interval, () => this.#mark());
  }

  #compact(before: Revision): void {
    if (this.#compacting || before <= this.#options.state.compacted) return;
    this.#compacting = true;
    void this.#runCompaction(before);
  }

  async #runCompaction(before: Revision): Promise<void> {
    try {
      await this.#options.compact(before);
    } catch (error) {
      // A store that is closed or has failed needs no compaction, and says so to everyone who writes.
      if (error instanceof StoreError) return;
      throw error;
    } finally {
      this.#compacting = false;
    }
    this.afterPublish(); // of what was written meanwhile, too much may be kept
  }
}
