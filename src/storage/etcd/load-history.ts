// Loads the state at the oldest revision that etcd can still read. The feed replays all later changes from there on, so
// a newly started process has as much history as etcd has.
import { inSlices } from "../../apimachinery/meta/lists.ts";
import { type Revision, toRevision } from "../../apimachinery/meta/revision.ts";
import { MvccState } from "../mvcc/mvcc-state.ts";
import { StoreError } from "../store.ts";
import { measured, type StoreMetrics } from "../store-metrics.ts";
import type { EtcdClient } from "./etcd-client.ts";
import { EtcdFeed } from "./etcd-feed.ts";
import { type EtcdKeyValue, FIRST_ETCD_KEY, FIRST_ETCD_REVISION } from "./messages.ts";
import { claimedKeys, keptKey, type Reading } from "./read-values.ts";

/** Keys per page. A page is held as a whole in memory: half a gigabyte for Secrets of the maximum size. */
const PAGE_KEYS = 500;
/** Limit of the retries when the oldest revision is compacted away while it is read. */
const TRIES = 10;

export async function loadOldest(client: EtcdClient, reading: Reading): Promise<MvccState> {
  for (let tries = 1; ; tries++) {
    try {
      return await loadState(client, reading, toRevision(await oldestRevision(client)));
    } catch (error) {
      if (tries === TRIES || !(error instanceof StoreError) || error.code !== "COMPACTED") throw error;
    }
  }
}

/** Loads the state at a revision. Rejects with COMPACTED. */
export async function loadState(
  client: EtcdClient,
  reading: Reading,
  revision: Revision,
): Promise<MvccState> {
  const state = new MvccState(revision);
  client.metrics.loads++;
  for await (const kvs of pagesAt(client, revision, reading.metrics)) {
    await inSlices(kvs, (kv) => {
      const kept = keptKey(reading, kv);
      if (kept !== undefined) state.setBase(kept.key, kept);
      for (const claimed of claimedKeys(reading, kv)) state.setBase(claimed.key, claimed);
    });
  }
  return state;
}

async function* pagesAt(
  client: EtcdClient,
  revision: Revision,
  metrics: StoreMetrics,
): AsyncGenerator<readonly EtcdKeyValue[]> {
  for (let key = FIRST_ETCD_KEY; ; ) {
    const asked = { key, rangeEnd: FIRST_ETCD_KEY, revision, limit: PAGE_KEYS };
    const page = await measured(metrics, "list", "", () => client.range(asked));
    yield page.kvs;
    const last = page.kvs.at(-1);
    if (!page.more || last === undefined) return;
    key = `${last.key}\0`;
  }
}

/**
 * Returns the compacted revision, or the first one. etcd reports it to a client that starts a watch at an older
 * revision.
 */
async function oldestRevision(client: EtcdClient): Promise<number> {
  try {
    await client.range({ key: FIRST_ETCD_KEY, revision: FIRST_ETCD_REVISION });
    return FIRST_ETCD_REVISION;
  } catch (error) {
    if (!(error instanceof StoreError) || error.code !== "COMPACTED") throw error;
  }
  return new Promise((resolve, reject) => {
    const end = (act: () => void): void => {
      feed.stop();
      act();
    };
    const feed = new EtcdFeed(client, {
      lost: (compacted) => end(() => resolve(compacted)),
      restored: () => {}, // the watch is ended when it is rejected
      changed: () => end(() => reject(new StoreError("COMPACTED", "etcd tells no compacted revision"))),
      connected: (_, why) => {
        if (why !== undefined) end(() => reject(why));
      },
    });
    feed.start(FIRST_ETCD_REVISION);
  });
}
