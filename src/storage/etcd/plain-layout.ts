// Layout of a store that keeps keys and values in etcd unchanged.

import type { StorageLayout } from "../layout.ts";
import { COMPACT_KEY } from "./etcd-compactor.ts";

/** Every key but that one, with the bytes that were given. */
export const PLAIN_LAYOUT: StorageLayout = {
  prefixes: ["/"],
  toEtcdKey: (key) => key,
  toEgretKey: (key) => (key === COMPACT_KEY ? undefined : key),
  encode: (_, value) => value,
  decode: (_, value) => ({ value, isStale: false }),
};
