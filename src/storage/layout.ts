// Contract of a layout: how the keys and values of a store are encoded in an etcd that kube-apiservers may share. Other
// stores keep keys and bytes unchanged and have no layout. Nothing here depends on Kubernetes objects;
// src/apiserver/layout/ does.

export interface StorageLayout {
  /** Prefixes of all etcd keys that the layout uses. Each ends with a slash, and none is a prefix of another. */
  readonly prefixes: readonly string[];
  /**
   * The etcd key that holds the value of a key. Keys with the same prefix up to their resource keep their order. The
   * order between keys of objects and other keys is not kept, since they have different prefixes. Throws LayoutError
   * UNKNOWN_KEY for a key that has no etcd key.
   */
  toEtcdKey(key: string): string;
  /**
   * The inverse of toEtcdKey. Undefined: the etcd key is not for this store (server leases, port ranges, keys of other
   * programs).
   */
  toEgretKey(etcdKey: string): string | undefined;
  /** Encodes a value of the store for etcd. Throws LayoutError. */
  encode(key: string, value: Uint8Array): Uint8Array;
  /** Decodes bytes from etcd, in any supported format. Throws LayoutError. */
  decode(etcdKey: string, bytes: Uint8Array): DecodedValue;
  /** Keys of the store that have no etcd key of their own. */
  readonly claims?: SharedAllocations | undefined;
}

/**
 * Keys of the store that share one value in etcd, which other servers write, too. Such a key only records that
 * something is allocated: its value is not kept. The layout's other functions do not apply to such a key.
 */
export interface SharedAllocations {
  readonly etcdKey: string;
  /** Prefix of all these keys; other keys may have it, too. */
  readonly prefix: string;
  has(key: string): boolean;
  /** Throws LayoutError. */
  read(value: Uint8Array): string[];
  write(keys: ReadonlySet<string>): Uint8Array;
}

export interface DecodedValue {
  readonly value: Uint8Array;
  /**
   * The bytes in etcd differ from what would be written for the value: another version, format or encryption key. An
   * update without changes then rewrites the value, instead of being skipped.
   */
  readonly isStale: boolean;
}

/**
 * UNKNOWN_KEY: the store's key has no etcd key. ENCRYPTED: no provider can decrypt the bytes. UNDECODABLE: the bytes
 * are no object, or an object of an unknown kind.
 */
export type LayoutErrorCode = "UNKNOWN_KEY" | "ENCRYPTED" | "UNDECODABLE";

/** The message gives the reason without the key, in the words of a kube-apiserver where it has some. */
export class LayoutError extends Error {
  readonly code: LayoutErrorCode;
  /** The etcd key; for UNKNOWN_KEY the store's key. */
  readonly key: string;
  constructor(code: LayoutErrorCode, key: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "LayoutError";
    this.code = code;
    this.key = key;
  }
}
