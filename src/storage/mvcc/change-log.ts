// The changes that are still kept, by revision: watches from an old revision replay them, and compaction walks them.
// Where the revision counter is shared with other processes, there may be revisions without a change in between. The
// log also accounts the memory that history takes beyond the live state.
import { leading } from "../../apimachinery/meta/lists.ts";
import { type Revision, toRevision } from "../../apimachinery/meta/revision.ts";
import { eventRevision, type KeyValue, type StoreChange, type StoreEvent } from "../store.ts";

/** A change of one key is held as its event alone, and the creation of one as the value that was created. */
type KeptChange = StoreChange | StoreEvent | KeyValue;

export class ChangeLog {
  readonly #changes: KeptChange[] = [];
  /** Bytes of superseded values, per change. */
  readonly #weights: number[] = [];
  #revision: Revision;
  #supersededBytes = 0;

  /** The log continues after this revision. */
  constructor(revision: Revision) {
    this.#revision = revision;
  }

  /** The newest revision: that of the newest change, or a later one without a change. */
  get revision(): Revision {
    return this.#revision;
  }

  /** The revision of the oldest change, or the next revision when there is no change. */
  get oldest(): Revision {
    const [first] = this.#changes;
    return first === undefined ? toRevision(this.#revision + 1) : revisionOf(first);
  }

  /** Bytes of the values that the kept changes replaced or deleted. */
  get supersededBytes(): number {
    return this.#supersededBytes;
  }

  append(change: StoreChange, weight = supersededBytes(change.events)): void {
    this.#changes.push(kept(change));
    this.#weights.push(weight);
    this.#revision = change.revision;
    this.#supersededBytes += weight;
  }

  /** Advances the revision without a change. */
  advance(revision: Revision): void {
    if (revision > this.#revision) this.#revision = revision;
  }

  at(revision: Revision): StoreChange | undefined {
    const found = this.#changes[this.#countUpTo(revision) - 1];
    return found !== undefined && revisionOf(found) === revision ? whole(found) : undefined;
  }

  after(revision: Revision): readonly StoreChange[] {
    return this.#changes.slice(this.#countUpTo(revision)).map(whole);
  }

  /**
   * Removes and returns the oldest changes up to the revision: one, or several that have at most so many events
   * together.
   */
  takeUpTo(revision: Revision, eventsMax: number): readonly StoreChange[] {
    const end = this.#countUpTo(revision);
    let count = 0;
    for (let events = 0; count < end; count++) {
      const change = this.#changes[count];
      events += change !== undefined && "events" in change ? change.events.length : 1;
      if (count > 0 && events > eventsMax) break;
    }
    for (const weight of this.#weights.splice(0, count)) this.#supersededBytes -= weight;
    return this.#changes.splice(0, count).map(whole);
  }

  /** The oldest revision to compact to, so that at most so many bytes of superseded values are kept. */
  revisionForBytes(bytesMax: number): Revision {
    let bytes = this.#supersededBytes;
    for (const [index, weight] of this.#weights.entries()) {
      const change = this.#changes[index];
      if (bytes <= bytesMax) return toRevision((change ? revisionOf(change) : this.#revision) - 1);
      bytes -= weight;
    }
    return this.#revision;
  }

  /** Number of changes up to and including the revision. */
  #countUpTo(revision: Revision): number {
    if (revision >= this.#revision) return this.#changes.length;
    return leading(this.#changes, (change) => revisionOf(change) <= revision);
  }
}

function kept(change: StoreChange): KeptChange {
  const [event, another] = change.events;
  // After a relist, one change holds values with older revisions of their own.
  if (event === undefined || another !== undefined || eventRevision(event) !== change.revision) return change;
  return event.type === "put" && event.prev === undefined ? event.kv : event;
}

function whole(change: KeptChange): StoreChange {
  if ("events" in change) return change;
  const event: StoreEvent = "type" in change ? change : { type: "put", kv: change, prev: undefined };
  return { revision: eventRevision(event), events: [event] };
}

function revisionOf(change: KeptChange): Revision {
  if ("modRevision" in change) return change.modRevision;
  return "type" in change ? eventRevision(change) : change.revision;
}

/** Bytes of the values that these events replaced or deleted. */
function supersededBytes(events: readonly StoreEvent[]): number {
  let bytes = 0;
  for (const { prev } of events) bytes += prev?.value.byteLength ?? 0;
  return bytes;
}
