// An engine without a disk. It keeps the records (sharing their values with the store), so the same engine can be opened again:
// that is how a restart is tried without files. What it holds ends with the process.
import { inSlices } from "../meta/lists.ts";
import type { Revision } from "../meta/revision.ts";
import { type Engine, FIRST_REVISION, type RecordId, type StoredRecord } from "./engine.ts";
import type { StoreChange, StoreEvent } from "./store.ts";

/** An engine that keeps nothing beyond the process. */
export function createMemoryEngine(): Engine {
  let compacted = FIRST_REVISION;
  const records = new Map<string, StoredRecord>(); // in the order of writing, which is that of revisions
  return {
    location: "memory",
    async load() {
      return { compacted, records: pageOf([...records.values()]) };
    },
    async write(batch) {
      await inSlices(recordsOf(batch.changes), (record) => records.set(recordName(record), record));
      await inSlices(batch.forget, (id) => records.delete(recordName(id)));
      compacted = batch.compacted ?? compacted;
    },
    async close() {},
  };
}

function* recordsOf(changes: readonly StoreChange[]): Generator<StoredRecord, undefined> {
  for (const { revision, events } of changes) {
    for (const [ordinal, event] of events.entries()) yield recordOf(event, revision, ordinal);
  }
}

function recordOf(event: StoreEvent, revision: Revision, ordinal: number): StoredRecord {
  if (event.type === "delete") return { revision, ordinal, key: event.key, put: undefined };
  const { key, createRevision, value } = event.kv;
  return { revision, ordinal, key, put: { createRevision, value } };
}

async function* pageOf(records: readonly StoredRecord[]): AsyncGenerator<readonly StoredRecord[]> {
  yield records;
}

function recordName({ revision, key }: RecordId): `${Revision} ${string}` {
  return `${revision} ${key}`;
}
