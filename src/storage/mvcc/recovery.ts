// Rebuilds the state from an engine's records. Up to the compacted revision only the newest record of each key counts.
// After it every revision is replayed like a new commit and must follow from the revision before. A record that does
// not fit means damaged data: the store then does not open, so it never shows a wrong state. A value that fails the
// screen is no damage of the store: its key is kept as unreadable, and all other keys are served.
import type { Revision } from "../../apimachinery/meta/revision.ts";
import { damagedData, type Engine, type RecordId, type StoredRecord } from "../engine.ts";
import type { KeyValue, StoreEvent, UnreadableValue } from "../store.ts";
import type { Screen } from "../unreadable.ts";
import { MvccState } from "./mvcc-state.ts";
import { storedBytes } from "./value-slabs.ts";

/** Limit of the left-over records that one batch deletes. */
const FORGET_BATCH_MAX = 1000;

/** Rebuilds the state and deletes left-over records. Rejects with UNREADABLE. */
export async function recoverState(engine: Engine, screen?: Screen): Promise<MvccState> {
  const { compacted, records, isScreened = false } = await engine.load();
  const complaintOf = screen && ((kv: KeyValue) => screen(kv, !isScreened));
  const recovery = new Recovery(engine.location, compacted, complaintOf);
  for await (const page of records) for (const record of page) recovery.add(record);
  const { state, leftOver } = recovery.finish();
  for (let start = 0; start < leftOver.length; start += FORGET_BATCH_MAX) {
    const forget = leftOver.slice(start, start + FORGET_BATCH_MAX);
    await engine.write({ changes: [], forget, compacted: undefined });
  }
  if (screen !== undefined && !isScreened && state.unreadable.size === 0) await engine.markScreened?.();
  return state;
}

class Recovery {
  readonly #location: string;
  readonly #state: MvccState;
  /** Records that a compaction had freed but not yet deleted when the process ended. */
  readonly #leftOver: RecordId[] = [];
  /** The records of one revision, until it is complete. */
  #group: StoredRecord[] = [];
  readonly #complaintOf: ((kv: KeyValue) => string | undefined) | undefined;

  constructor(location: string, compacted: Revision, complaintOf?: (kv: KeyValue) => string | undefined) {
    this.#location = location;
    this.#state = new MvccState(compacted);
    this.#complaintOf = complaintOf;
  }

  add(record: StoredRecord): void {
    if (record.revision <= this.#state.compacted) {
      this.#addBase(record);
      return;
    }
    if (this.#group[0] !== undefined && this.#group[0].revision !== record.revision) this.#replayGroup();
    this.#group.push(record);
  }

  finish(): { readonly state: MvccState; readonly leftOver: readonly RecordId[] } {
    if (this.#group.length > 0) this.#replayGroup();
    return { state: this.#state, leftOver: this.#leftOver };
  }

  #addBase(record: StoredRecord): void {
    const superseded = this.#before(record.key);
    if (superseded !== undefined) {
      this.#leftOver.push({ revision: superseded.modRevision, key: superseded.key });
    }
    const kv = toKeyValue(record);
    if (kv === undefined) this.#leftOver.push({ revision: record.revision, key: record.key });
    const held = kv && this.#unreadable(kv);
    this.#state.setBase(record.key, held === undefined ? kv : undefined);
    if (held === undefined) this.#state.unreadable.delete(record.key);
    else this.#state.unreadable.note(held);
  }

  /** The state of the key after the previous record, readable or not. */
  #before(key: string): KeyValue | undefined {
    return this.#state.get(key) ?? this.#state.unreadable.get(key)?.kv;
  }

  /** Returns the value as an unreadable one; undefined: it passes the screen. */
  #unreadable(kv: KeyValue): UnreadableValue | undefined {
    const reason = this.#complaintOf?.(kv);
    return reason === undefined ? undefined : { key: kv.key, modRevision: kv.modRevision, reason, kv };
  }

  #replayGroup(): void {
    const group = this.#group;
    this.#group = [];
    if (group.length > 1) group.sort((a, b) => a.ordinal - b.ordinal);
    const revision = group[0]?.revision ?? this.#state.revision;
    if (revision !== this.#state.revision + 1) {
      throw damagedData(this.#location, `no record of revision ${this.#state.revision + 1} is there`);
    }
    const held: UnreadableValue[] = [];
    const events = group.flatMap((record, index) => {
      const event = record.ordinal === index ? this.#replay(record, held) : undefined;
      if (event !== undefined) return event;
      throw damagedData(this.#location, `revision ${revision} is not complete (at key ${record.key})`);
    });
    if (events.length > 0) this.#state.apply({ revision, events });
    else this.#state.advance(revision);
    for (const value of held) this.#state.unreadable.note(value);
  }

  /**
   * Undefined when the record does not follow from the state before it. No event for a record that only concerns
   * unreadable values. New unreadable values are added to the list.
   */
  #replay(record: StoredRecord, held: UnreadableValue[]): readonly StoreEvent[] | undefined {
    const { key, revision } = record;
    const [prev, before] = [this.#state.get(key), this.#before(key)];
    const kv = toKeyValue(record);
    if (before !== undefined && prev === undefined)
      this.#state.replaceUnreadable(revision, { revision: before.modRevision, key });
    const gone: StoreEvent[] = prev === undefined ? [] : [{ type: "delete", key, revision, prev }];
    if (kv === undefined) {
      this.#state.unreadable.delete(key);
      return before && gone;
    }
    if (kv.createRevision !== (before?.createRevision ?? revision)) return undefined;
    const unreadable = this.#unreadable(kv);
    if (unreadable === undefined) return [{ type: "put", kv, prev }];
    held.push(unreadable);
    return gone;
  }
}

function toKeyValue({ key, revision, put }: StoredRecord): KeyValue | undefined {
  if (put === undefined) return undefined;
  return { key, value: storedBytes(put.value), createRevision: put.createRevision, modRevision: revision };
}
