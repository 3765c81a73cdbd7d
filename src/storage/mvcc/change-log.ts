// The changes that are still kept, one per revision without gaps: what a watch from the past replays and what compaction
// walks. It also weighs what history holds in memory beyond the live state.
import { type Revision, toRevision } from "../../meta/revision.ts";
import type { StoreChange } from "../store.ts";

export class ChangeLog {
  readonly #changes: StoreChange[] = [];
  #revision: Revision;
  #supersededBytes = 0;

  /** The log goes on after this revision. */
  constructor(revision: Revision) {
    this.#revision = revision;
  }

  /** The revision of the newest change. */
  get revision(): Revision {
    return this.#revision;
  }

  /** The revision of the oldest change, or the one that comes next when there is no change. */
  get oldest(): Revision {
    return toRevision(this.#revision - this.#changes.length + 1);
  }

  /** The size of the values that kept changes replaced or deleted. */
  get supersededBytes(): number {
    return this.#supersededBytes;
  }

  append(change: StoreChange): void {
    this.#changes.push(change);
    this.#revision = change.revision;
    this.#supersededBytes += supersededBytes(change);
  }

  at(revision: Revision): StoreChange | undefined {
    return this.#changes[this.#indexOf(revision)];
  }

  after(revision: Revision): readonly StoreChange[] {
    return this.#changes.slice(Math.max(this.#indexOf(revision) + 1, 0));
  }

  /** Takes out the oldest changes up to the revision, at most so many. */
  takeUpTo(revision: Revision, changesMax: number): readonly StoreChange[] {
    const taken = this.#changes.splice(0, Math.min(Math.max(this.#indexOf(revision) + 1, 0), changesMax));
    for (const change of taken) this.#supersededBytes -= supersededBytes(change);
    return taken;
  }

  /** The oldest revision to compact to so that at most so many bytes of superseded values are kept. */
  revisionForBytes(bytesMax: number): Revision {
    let bytes = this.#supersededBytes;
    for (const change of this.#changes) {
      if (bytes <= bytesMax) return toRevision(change.revision - 1);
      bytes -= supersededBytes(change);
    }
    return this.#revision;
  }

  #indexOf(revision: Revision): number {
    return this.#changes.length - 1 - (this.#revision - revision);
  }
}

function supersededBytes(change: StoreChange): number {
  let bytes = 0;
  for (const event of change.events) bytes += event.prev?.value.byteLength ?? 0;
  return bytes;
}
