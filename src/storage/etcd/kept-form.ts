// How keys and values of a store look in etcd. The store above knows nothing of Kubernetes: whoever opens it says.

export interface KeptForm {
  keyInEtcd(key: string): string;
  /** undefined: the key is somebody else's. */
  keyOf(keyInEtcd: string): string | undefined;
  /** Throws for what it cannot write, which is a mistake of the caller. */
  encode(key: string, value: Uint8Array): Uint8Array;
  /** undefined: it cannot be read, and counts as absent. */
  decode(key: string, value: Uint8Array): Uint8Array | undefined;
  /** How many seconds the key lives when nobody writes it again; undefined: for ever. */
  ttlSeconds(key: string): number | undefined;
}

/** As they are. */
export const PLAIN_FORM: KeptForm = {
  keyInEtcd: (key) => key,
  keyOf: (key) => (key === COMPACT_KEY ? undefined : key),
  encode: (_, value) => value,
  decode: (_, value) => value,
  ttlSeconds: () => undefined,
};

/** Whoever compacts writes to which revision; all kube-apiservers of a cluster know it, whatever their prefix is. */
export const COMPACT_KEY = "compact_rev_key";
