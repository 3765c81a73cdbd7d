// Restores the newest state of a backup to an open store, under revisions of that store; the backup's history is not
// restored. The backup is read twice: nothing of an incomplete one is written, and no superseded value is held in
// memory.
import { inBatches } from "../apimachinery/meta/lists.ts";
import type { Revision } from "../apimachinery/meta/revision.ts";
import { type BackupHead, readBackup } from "./backup.ts";
import {
  EVERY_KEY,
  eventKey,
  holds,
  type KeyValue,
  type Store,
  type StoreChange,
  type TxnOp,
} from "./store.ts";
import type { Screen } from "./unreadable.ts";

export interface StateSource {
  /** Names the backup in messages. */
  readonly name: string;
  /** The lines of the backup, from the beginning at each call. */
  lines(): AsyncIterable<string>;
  /** Which values may be restored; left out: all. */
  readonly screen?: Screen;
}

export interface RestoredState extends BackupHead {
  readonly keys: number;
}

const CREATED_AT_ONCE = 1000;

/** The store must be empty. Rejects as readBackup and commit do. */
export async function fillStore(
  source: StateSource,
  store: Store,
  onWritten: (keys: number, of: number) => void = () => {},
): Promise<RestoredState> {
  const { newest, ...head } = await survey(source);
  let written = 0;
  let waiting: KeyValue[] = [];
  const write = async (): Promise<void> => {
    const batch = waiting;
    waiting = [];
    await inBatches(batch, async ({ key, value }) => {
      await store.commit([{ type: "create", key, value }]);
      onWritten(++written, newest.size);
    });
  };
  await eachNewest(source, newest, (kv) => {
    waiting.push(kv);
    return waiting.length >= CREATED_AT_ONCE ? write() : undefined;
  });
  await write();
  return { ...head, keys: newest.size };
}

/**
 * Replaces the contents of the store with those of the backup, as one change where the store supports that. Rejects as
 * fillStore does.
 */
export async function replaceState(source: StateSource, store: Store): Promise<RestoredState> {
  const { newest, ...head } = await survey(source);
  await store.transform(async () => {
    const commits: (readonly TxnOp[])[] = store.unreadable
      .all()
      .map(({ key, modRevision }) => [{ type: "delete", key, ifModRevision: modRevision }]);
    for (const { key, modRevision } of store.list(EVERY_KEY).items) {
      if (!newest.has(key)) commits.push([{ type: "delete", key, ifModRevision: modRevision }]);
    }
    await eachNewest(source, newest, ({ key, value }) => {
      const present = store.get(key);
      if (present === undefined) commits.push([{ type: "create", key, value }]);
      else if (!holds(store, key, value))
        commits.push([{ type: "update", key, value, ifModRevision: present.modRevision }]);
    });
    return commits;
  });
  return { ...head, keys: newest.size };
}

/** The last revision of each key that the newest state contains. */
async function survey({ name, lines, screen }: StateSource) {
  const newest = new Map<string, Revision>();
  const take = ({ revision, events }: StoreChange) => {
    for (const event of events) {
      if (event.type === "put") newest.set(event.kv.key, revision);
      else newest.delete(eventKey(event));
    }
  };
  const head = await readBackup(lines(), name, take, screen);
  return { ...head, newest };
}

async function eachNewest(
  { name, lines }: StateSource,
  newest: ReadonlyMap<string, Revision>,
  take: (kv: KeyValue) => void | Promise<void>,
): Promise<void> {
  await readBackup(lines(), name, async ({ revision, events }) => {
    for (const event of events) {
      if (event.type === "put" && newest.get(event.kv.key) === revision) await take(event.kv);
    }
  });
}
