// Building the state from an engine's records. Up to the compacted revision only the newest record of each key counts; after
// it every revision is replayed as if it were committed now, and must fit what came before. Whatever does not fit means
// that the data is damaged: the store then does not open, rather than show a state that never was.
import type { Revision } from "../../meta/revision.ts";
import { damagedData, type Engine, type RecordId, type StoredRecord } from "../engine.ts";
import type { KeyValue, StoreEvent } from "../store.ts";
import { MvccState } from "./mvcc-state.ts";
import { storedBytes } from "./value-slabs.ts";

/** How many left-over records one batch deletes. */
const FORGET_BATCH_MAX = 1000;

/** The state that the records of an engine stand for; left-over records are deleted. Rejects with UNREADABLE. */
export async function recoverState(engine: Engine): Promise<MvccState> {
  const { compacted, records } = await engine.load();
  const recovery = new Recovery(engine.location, compacted);
  for await (const page of records) for (const record of page) recovery.add(record);
  const { state, leftOver } = recovery.finish();
  for (let start = 0; start < leftOver.length; start += FORGET_BATCH_MAX) {
    const forget = leftOver.slice(start, start + FORGET_BATCH_MAX);
    await engine.write({ changes: [], forget, compacted: undefined });
  }
  return state;
}

class Recovery {
  readonly #location: string;
  readonly #state: MvccState;
  /** Records that a compaction had freed but not yet deleted when the process ended. */
  readonly #leftOver: RecordId[] = [];
  /** The records of one revision, until it is complete. */
  #group: StoredRecord[] = [];

  constructor(location: string, compacted: Revision) {
    this.#location = location;
    this.#state = new MvccState(compacted);
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
    const superseded = this.#state.get(record.key);
    if (superseded !== undefined) {
      this.#leftOver.push({ revision: superseded.modRevision, key: superseded.key });
    }
    const kv = toKeyValue(record);
    if (kv === undefined) this.#leftOver.push({ revision: record.revision, key: record.key });
    this.#state.setBase(record.key, kv);
  }

  #replayGroup(): void {
    const group = this.#group;
    this.#group = [];
    if (group.length > 1) group.sort((a, b) => a.ordinal - b.ordinal);
    const revision = group[0]?.revision ?? this.#state.revision;
    if (revision !== this.#state.revision + 1) {
      throw damagedData(this.#location, `no record of revision ${this.#state.revision + 1} is there`);
    }
    const events = group.map((record, index) => {
      const event = record.ordinal === index ? this.#replay(record) : undefined;
      if (event !== undefined) return event;
      throw damagedData(this.#location, `revision ${revision} is not complete (at key ${record.key})`);
    });
    this.#state.apply({ revision, events });
  }

  /** Undefined when the record does not follow from the state before it. */
  #replay(record: StoredRecord): StoreEvent | undefined {
    const { key, revision } = record;
    const prev = this.#state.get(key);
    const kv = toKeyValue(record);
    if (kv === undefined) return prev && { type: "delete", key, revision, prev };
    const createRevision = prev?.createRevision ?? revision;
    return kv.createRevision === createRevision ? { type: "put", kv, prev } : undefined;
  }
}

function toKeyValue({ key, revision, put }: StoredRecord): KeyValue | undefined {
  if (put === undefined) return undefined;
  return { key, value: storedBytes(put.value), createRevision: put.createRevision, modRevision: revision };
}
