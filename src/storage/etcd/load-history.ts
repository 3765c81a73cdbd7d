// From etcd to a state: what was there at the oldest revision that can still be read. What has changed since, the feed tells
// from there on, so a process that has just started knows as much of the past as etcd does.
import { inSlices } from "../../meta/lists.ts";
import { type Revision, toRevision } from "../../meta/revision.ts";
import { MvccState } from "../mvcc/mvcc-state.ts";
import { StoreError } from "../store.ts";
import type { EtcdClient } from "./etcd-client.ts";
import { EtcdFeed } from "./etcd-feed.ts";
import type { KeptForm } from "./kept-form.ts";
import { type EtcdKeyValue, FIRST_ETCD_REVISION } from "./messages.ts";

const PAGE_KEYS = 2000;
const EVERY_KEY = "\0";
/** So often the oldest revision may be compacted away while it is being read. */
const TRIES = 10;

export async function loadOldest(client: EtcdClient, form: KeptForm): Promise<MvccState> {
  for (let tries = 1; ; tries++) {
    try {
      return await loadState(client, form, toRevision(await oldestRevision(client)));
    } catch (error) {
      if (tries === TRIES || !(error instanceof StoreError) || error.code !== "COMPACTED") throw error;
    }
  }
}

/** The state at a revision. Rejects with COMPACTED. */
export async function loadState(client: EtcdClient, form: KeptForm, revision: Revision): Promise<MvccState> {
  const state = new MvccState(revision);
  for await (const kvs of pagesAt(client, revision)) {
    await inSlices(kvs, (kv) => {
      const kept = keptKey(form, kv);
      if (kept !== undefined) state.setBase(kept.key, kept);
    });
  }
  return state;
}

/** What the store shows of a key in etcd. */
export function keptKey(
  form: KeptForm,
  { key: keyInEtcd, value, createRevision, modRevision }: EtcdKeyValue,
) {
  const key = form.keyOf(keyInEtcd);
  if (key === undefined) return undefined;
  const decoded = form.decode(key, value);
  if (decoded === undefined) return undefined;
  return {
    key,
    value: decoded,
    createRevision: toRevision(createRevision),
    modRevision: toRevision(modRevision),
  };
}

async function* pagesAt(client: EtcdClient, revision: Revision): AsyncGenerator<readonly EtcdKeyValue[]> {
  for (let key = EVERY_KEY; ; ) {
    const page = await client.range({ key, rangeEnd: EVERY_KEY, revision, limit: PAGE_KEYS });
    yield page.kvs;
    const last = page.kvs.at(-1);
    if (!page.more || last === undefined) return;
    key = `${last.key}\0`;
  }
}

/** The compacted revision, or the first one. etcd tells it to whoever would watch from further back. */
async function oldestRevision(client: EtcdClient): Promise<number> {
  try {
    await client.range({ key: EVERY_KEY, revision: FIRST_ETCD_REVISION });
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
      changed: () => end(() => reject(new StoreError("COMPACTED", "etcd tells no compacted revision"))),
      connected: (_, why) => {
        if (why !== undefined) end(() => reject(why));
      },
    });
    feed.start(FIRST_ETCD_REVISION);
  });
}
