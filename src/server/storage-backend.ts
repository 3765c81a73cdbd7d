// The storage backend of a server: memory, a folder, or etcd.

import { UsageError } from "./errors.ts";
import type { FlagValues } from "./options/read-command-line.ts";

export type StorageBackend =
  | { readonly type: "memory" }
  | { readonly type: "level"; readonly folder: string }
  /** host:port of each member. */
  | { readonly type: "etcd"; readonly endpoints: readonly string[] };

interface PlaceOptions {
  readonly store: string | undefined;
  readonly inMemory: boolean;
  readonly dataDir: string;
}

const ETCD = "etcd://";
const LEVEL = "level:";
const MEMORY = "memory:";
const ETCD_PORT = "2379";
const ENDPOINT = /^(\[[0-9a-fA-F:]+\]|[^:/@\s[\]]+)(?::(\d{1,5}))?$/;

/** An in-memory copy stays in memory, whatever the backend of its original. */
export function storageBackendOf({ store, inMemory, dataDir }: PlaceOptions): StorageBackend {
  if (inMemory) return { type: "memory" };
  return store === undefined ? { type: "level", folder: dataDir } : readStorageBackend(store);
}

/** Throws UsageError. */
export function readStorageBackend(text: string): StorageBackend {
  if (text === MEMORY) return { type: "memory" };
  if (text.startsWith(ETCD))
    return { type: "etcd", endpoints: text.slice(ETCD.length).split(",").map(readEndpoint) };
  const folder = text.startsWith(LEVEL) ? text.slice(LEVEL.length) : "";
  if (folder === "")
    throw new UsageError(`--store ${text} is none of level:DIR, memory: and etcd://HOST:PORT,…`);
  return { type: "level", folder };
}

function readEndpoint(text: string): string {
  const [, host, port = ETCD_PORT] = ENDPOINT.exec(text) ?? [];
  if (host === undefined || Number(port) > 65_535)
    throw new UsageError(`--store: ${text} is no HOST:PORT of an etcd`);
  return `${host}:${port}`;
}

/** Whether a storage backend is named; otherwise the server of a command keeps its state in memory. */
export const isKept = (values: FlagValues): boolean => values.has("data-dir") || values.has("store");

/** The backend as shown to users. */
export function describePlace(place: StorageBackend): string {
  if (place.type === "memory") return "memory";
  return place.type === "level" ? place.folder : `${ETCD}${place.endpoints.join(",")}`;
}
