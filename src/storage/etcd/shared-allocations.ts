// Keys of the store that share one value in etcd. Adding or removing a key rewrites the whole value by optimistic
// concurrency: the transaction requires the value that was read. Entries that other kinds of servers have added
// meanwhile are kept.
//
//   create …/30080 ─► read the value ─► txn: the value is unchanged, the rest as expected ─► put it with one bit more
//                          ▲                        │ only the value was another one
//                          └────────────────────────┘
import { LayoutError, type SharedAllocations, type StorageLayout } from "../layout.ts";
import { StoreError, type TxnOp } from "../store.ts";
import type { EtcdClient } from "./etcd-client.ts";
import type { FollowedState } from "./followed-state.ts";
import type { Compare, WriteOp } from "./messages.ts";
import { WriteQueue } from "./write-queue.ts";

/** Limit of the retries. Each conflict means that another writer has succeeded, so all writers make progress. */
const TRIES = 100;

/** A transaction was rejected, but by now the store's keys meet all of its preconditions. */
export class PassingMismatch extends StoreError {
  constructor() {
    super("REVISION_MISMATCH", "a key was another one, and is by now as it was expected");
  }
}

/** The precondition of a commit on the shared value, and the new value. */
export interface SharedWrite {
  readonly compare: Compare;
  readonly put: WriteOp;
  /** The operations of the commit on other keys. */
  readonly others: readonly TxnOp[];
}

export class ClaimsWriter {
  readonly #client: EtcdClient;
  readonly #claims: SharedAllocations;
  readonly #followed: FollowedState;
  /** Serializes the writes of this process, which would otherwise conflict in etcd. */
  readonly #turns = new WriteQueue();

  constructor(client: EtcdClient, claims: SharedAllocations, followed: FollowedState) {
    this.#client = client;
    this.#claims = claims;
    this.#followed = followed;
  }

  touchedBy(ops: readonly TxnOp[]): boolean {
    return ops.some(({ key }) => this.#claims.has(key));
  }

  /** Retries `write` until no other writer has changed the value in between. */
  write<T>(ops: readonly TxnOp[], write: (shared: SharedWrite) => Promise<T>): Promise<T> {
    return this.#turns.inOrder([{ key: this.#claims.etcdKey }], async () => {
      for (let tries = 1; ; tries++) {
        try {
          return await write(await this.#stage(ops));
        } catch (error) {
          if (!(error instanceof PassingMismatch) || tries === TRIES) throw error;
        }
      }
    });
  }

  async #stage(ops: readonly TxnOp[]): Promise<SharedWrite> {
    const { has } = this.#claims;
    const { revision, keys, writeOf } = await readShared(this.#client, this.#claims);
    // A caller that gets an error decides on a retry by the readable state, which must be at least as new as this read.
    await this.#followed.reached(revision);
    for (const { type, key } of ops.filter((op) => has(op.key))) {
      if (type === "create" && keys.has(key)) throw new StoreError("KEY_EXISTS", `${key} is already there`);
      if (type !== "create" && !keys.has(key))
        throw new StoreError("REVISION_MISMATCH", `${key} is not there`);
      if (type === "create") keys.add(key);
      else if (type === "delete") keys.delete(key);
    }
    return { ...writeOf(keys), others: ops.filter(({ key }) => !has(key)) };
  }
}

interface SharedValue {
  /** The revision of the read. */
  readonly revision: number;
  readonly keys: Set<string>;
  writeOf(keys: ReadonlySet<string>): Pick<SharedWrite, "compare" | "put">;
}

/** Rejects with REFUSED if the value cannot be decoded. */
async function readShared(client: EtcdClient, claims: SharedAllocations): Promise<SharedValue> {
  const { etcdKey: key } = claims;
  const { kvs, revision } = await client.range({ key });
  const [kv] = kvs;
  return {
    revision,
    keys: new Set(kv === undefined ? [] : refusing(() => claims.read(kv.value))),
    writeOf: (keys) => ({
      compare: { key, modRevision: kv?.modRevision ?? 0 },
      put: { type: "put", key, value: claims.write(keys) },
    }),
  };
}

/** Limit of one transaction, less some operations for the shared value. */
const GATHERED_AT_ONCE = 100;

/** Migrates claims that etcd holds as single keys into the shared value: earlier versions had no shared value. */
export async function gatherClaims(client: EtcdClient, layout: StorageLayout): Promise<void> {
  const { claims } = layout;
  if (claims === undefined) return;
  const own = layout.toEtcdKey(claims.prefix);
  const rangeEnd = `${own.slice(0, -1)}0`; // "0" follows "/" in byte order
  for (let key = own; ; ) {
    const { kvs, more } = await client.range({ key, rangeEnd, limit: GATHERED_AT_ONCE });
    const found = kvs.filter((kv) => claims.has(claims.prefix + kv.key.slice(own.length)));
    if (found.length > 0) {
      const { keys, writeOf } = await readShared(client, claims);
      for (const kv of found) keys.add(claims.prefix + kv.key.slice(own.length));
      const { compare, put } = writeOf(keys);
      const { succeeded } = await client.txn({
        compare: [compare, ...found.map((kv) => ({ key: kv.key, modRevision: kv.modRevision }))],
        success: [put, ...found.map((kv): WriteOp => ({ type: "delete", key: kv.key }))],
      });
      if (!succeeded) continue;
    }
    const last = kvs.at(-1);
    if (!more || last === undefined) return;
    key = `${last.key}\0`;
  }
}

function refusing<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof LayoutError)) throw error;
    throw new StoreError("REFUSED", error.message, { cause: error });
  }
}
