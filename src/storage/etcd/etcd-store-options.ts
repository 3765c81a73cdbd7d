// Options of a store in etcd.
import type { Clock } from "../../apimachinery/meta/clock.ts";
import type { Revision } from "../../apimachinery/meta/revision.ts";
import type { StorageLayout } from "../layout.ts";
import type { HistoryLimits } from "../mvcc/retention.ts";
import type { KeyRange, UnreadableValue } from "../store.ts";
import type { CollectionEnd } from "../store-metrics.ts";
import type { UnreadLimits } from "../watch/watcher.ts";
import type { EtcdClient } from "./etcd-client.ts";

export interface EtcdStoreOptions {
  readonly client: EtcdClient;
  readonly layout: StorageLayout;
  readonly clock: Clock;
  /** TTL of a key in seconds, counted from its last write; undefined: it does not expire. */
  readonly ttlSeconds?: (key: string) => number | undefined;
  /** Limits of the history that this process holds in memory; etcd compacts its own. */
  readonly history?: Partial<HistoryLimits>;
  readonly unread: UnreadLimits;
  readonly onCompacted?: ((before: Revision) => void) | undefined;
  readonly onDropped?: ((range: KeyRange) => void) | undefined;
  /** Called for each value that is found unreadable; its key is not served. Must not throw. */
  readonly onUnreadable: (value: UnreadableValue) => void;
  /** Reports a failure that is retried. Must not throw. */
  readonly onTrouble: (what: string, error: unknown) => void;
  /** Interval of etcd's compaction, by this process or another one; left out: this process never compacts. */
  readonly compactionIntervalMs?: number | undefined;
  /** Groups the metrics by collection; left out: all keys count together. */
  readonly collectionEnd?: CollectionEnd;
}
