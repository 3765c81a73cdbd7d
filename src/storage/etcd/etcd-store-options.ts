// What a store in etcd is opened with.
import type { Clock } from "../../meta/clock.ts";
import type { Revision } from "../../meta/revision.ts";
import type { StorageLayout } from "../layout.ts";
import type { HistoryLimits } from "../mvcc/retention.ts";
import type { KeyRange } from "../store.ts";
import type { CollectionEnd } from "../store-figures.ts";
import type { UnreadableValue } from "../unreadable.ts";
import type { UnreadLimits } from "../watch/watcher.ts";
import type { EtcdClient } from "./etcd-client.ts";

export interface EtcdStoreOptions {
  readonly client: EtcdClient;
  readonly layout: StorageLayout;
  readonly clock: Clock;
  /** How many seconds a key lives when nobody writes it again; undefined: for ever. */
  readonly ttlSeconds?: (key: string) => number | undefined;
  /** Of what this process holds in memory; etcd keeps its own. */
  readonly history?: Partial<HistoryLimits>;
  readonly unread: UnreadLimits;
  readonly onCompacted?: ((before: Revision) => void) | undefined;
  readonly onDropped?: ((range: KeyRange) => void) | undefined;
  /** Called for each value that is found to be unreadable; its key is not shown. Must not throw. */
  readonly onUnreadable: (value: UnreadableValue) => void;
  /** Told what does not work for now, and is tried again. Must not throw. */
  readonly onTrouble: (what: string, error: unknown) => void;
  /** How often etcd is made to forget, by this process or another one; left out: this one never does. */
  readonly compactionIntervalMs?: number | undefined;
  /** By which figures are kept; left out: of all keys together. */
  readonly collectionEnd?: CollectionEnd;
}
