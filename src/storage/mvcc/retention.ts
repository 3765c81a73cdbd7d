// Limits of the history window: by age, by number of revisions and by the bytes of superseded values, whichever is
// reached first. Age is measured by periodic marks, so history is kept up to a fifth longer than configured.
import type { Clock, Timer } from "../../apimachinery/meta/clock.ts";
import { type Revision, toRevision } from "../../apimachinery/meta/revision.ts";
import { StoreError } from "../store.ts";
import type { MvccState } from "./mvcc-state.ts";

export interface HistoryLimits {
  /** Age after which a superseded state may be compacted. */
  readonly retainMs: number;
  readonly revisionsMax: number;
  /** Limit of the total bytes of replaced or deleted values. */
  readonly bytesMax: number;
}

/** No automatic compaction. */
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
/** Reaching a limit frees a tenth of it, so that compaction does not run with every commit. */
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

  /** A compaction that a later publication starts finds the writer closed. */
  stop(): void {
    this.#timer?.cancel();
  }

  /** Drops all marks: their revisions belong to another history. */
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
      // A closed or failed store needs no compaction. Its writers get the error themselves.
      if (error instanceof StoreError) return;
      throw error;
    } finally {
      this.#compacting = false;
    }
    this.afterPublish(); // commits meanwhile may have exceeded a limit again
  }
}
