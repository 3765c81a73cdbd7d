// The configured store in etcd, with the storage layout of a kube-apiserver.

import type { Clock } from "../apimachinery/meta/clock.ts";
import { systemRandom } from "../apimachinery/meta/ids.ts";
import type { Revision } from "../apimachinery/meta/revision.ts";
import type { TransformationMetrics } from "../apimachinery/meta/transformation-metrics.ts";
import { EncryptionConfigError, readEncryptionConfig } from "../apiserver/encryption/encryption-config.ts";
import type { Log } from "../apiserver/http/log.ts";
import { BadPrefix } from "../apiserver/layout/keys.ts";
import { createStorageLayout } from "../apiserver/layout/storage-layout.ts";
import { collectionEnd } from "../apiserver/registry/definition/view.ts";
import { servicesIn } from "../kube/core/services.ts";
import { BUILT_IN_RESOURCES } from "../kube/index.ts";
import { openEtcdStore } from "../storage/etcd/etcd-store.ts";
import type { StorageLayout } from "../storage/layout.ts";
import { DEFAULT_HISTORY_LIMITS } from "../storage/mvcc/retention.ts";
import { type KeyRange, type Store, StoreError } from "../storage/store.ts";
import { DEFAULT_UNREAD_LIMITS } from "../storage/watch/watcher.ts";
import { errorText, StartError } from "./errors.ts";
import { etcdClientOf, readGiven, refusalOf } from "./etcd-access.ts";
import { type ServerOptions, serviceNetworkOf } from "./options/options.ts";
import { readCompactionInterval } from "./options/time-and-chance.ts";

interface Around {
  readonly clock: Clock;
  readonly log: Log;
  readonly onCompacted: (revision: Revision) => void;
  readonly onDropped: (range: KeyRange) => void;
}

/** The default of --event-ttl of a kube-apiserver. */
const EVENT_SECONDS = 3600;
const EVENTS = "/registry/events/";
/** Limits of this process's history window, besides etcd's own. */
const HISTORY = { ...DEFAULT_HISTORY_LIMITS, retainMs: Number.POSITIVE_INFINITY };

/** Rejects with StartError and StoreError. */
export async function openEtcd(
  endpoints: readonly string[],
  options: ServerOptions,
  around: Around,
): Promise<Store> {
  try {
    return await openWith(endpoints, options, around);
  } catch (error) {
    const isMistake = error instanceof BadPrefix || error instanceof EncryptionConfigError;
    throw isMistake ? new StartError(error.message, { cause: error }) : error;
  }
}

async function openWith(
  endpoints: readonly string[],
  options: ServerOptions,
  { clock, log, onCompacted, onDropped }: Around,
): Promise<Store> {
  if (options.clock !== "real" || options.seed !== undefined) {
    throw new StartError(
      "a clock that stands still and a seed are for a store that no other server uses, not for etcd",
    );
  }
  const client = await etcdClientOf(endpoints, options);
  try {
    const layout = await layoutOf(options, client.metrics.transformations);
    const store = openEtcdStore({
      ...{ client, layout, clock, history: HISTORY, unread: DEFAULT_UNREAD_LIMITS, onCompacted, onDropped },
      compactionIntervalMs: readCompactionInterval(options.etcdCompactionInterval),
      collectionEnd,
      ttlSeconds: (key) => (key.startsWith(EVENTS) ? EVENT_SECONDS : undefined),
      onUnreadable: ({ key, reason }) => log.warn({ key, error: reason }, "a value in etcd cannot be read"),
      onTrouble: (what, error) => log.warn({ error: errorText(error) }, what),
    });
    return await store.catch((error: unknown) => {
      if (!(error instanceof StoreError)) throw error;
      throw new StartError(refusalOf(error, client.location, layout.prefixes), { cause: error });
    });
  } catch (error) {
    client.close();
    throw error;
  }
}

async function layoutOf(options: ServerOptions, metrics: TransformationMetrics): Promise<StorageLayout> {
  const network = serviceNetworkOf(options);
  const config = await readGiven(options.encryptionProviderConfig);
  return createStorageLayout({
    builtIn: [...BUILT_IN_RESOURCES, servicesIn(network)],
    nodePorts: network.nodePorts,
    prefix: options.storePrefix,
    encryption: config && (await readEncryptionConfig(config, systemRandom, metrics)),
  });
}
