// How a store's keys and values stand in an etcd that kube-apiservers may share: the contract of a layout. Stores that keep
// keys and bytes as they are have none. Nothing here knows what an object is; src/apiserver/layout/ does.

export interface StorageLayout {
  /** All that the layout keeps lies below these keys of etcd. Each ends with a slash, and none lies below another. */
  readonly prefixes: readonly string[];
  /**
   * Where the value of a key stands in etcd. Keys that begin alike up to their resource keep their order; keys of objects and
   * others do not, since they lie below different prefixes. Throws LayoutError UNKNOWN_KEY for a key that has no place.
   */
  toEtcdKey(key: string): string;
  /** The way back; undefined: what stands there is not for this store (leases of servers, ranges of ports, others' keys). */
  toEgretKey(etcdKey: string): string | undefined;
  /** The bytes that etcd holds for a value of the store. Throws LayoutError. */
  encode(key: string, value: Uint8Array): Uint8Array;
  /** The value of the store for bytes of etcd, in whichever form they are. Throws LayoutError. */
  decode(etcdKey: string, bytes: Uint8Array): DecodedValue;
  /** Keys of the store that have no place of their own. */
  readonly claims?: SharedClaims | undefined;
}

/**
 * Keys of the store that stand together in one value of etcd, which other servers write, too. A key says only that something
 * is taken: its value is not kept. What the layout's other functions say of such a key does not count.
 */
export interface SharedClaims {
  readonly etcdKey: string;
  /** With which all of them begin, and perhaps others. */
  readonly prefix: string;
  has(key: string): boolean;
  /** Throws LayoutError. */
  read(value: Uint8Array): string[];
  write(keys: ReadonlySet<string>): Uint8Array;
}

export interface DecodedValue {
  readonly value: Uint8Array;
  /**
   * What stands in etcd is not what would be written for the value: another version, form or encryption key. A write that
   * changes nothing puts it right, and is not left out as others are.
   */
  readonly isStale: boolean;
}

/**
 * UNKNOWN_KEY: the store's key has no place in etcd; ENCRYPTED: no provider can read the bytes; UNDECODABLE: they are no
 * object, or one of a kind that is not known here.
 */
export type LayoutErrorCode = "UNKNOWN_KEY" | "ENCRYPTED" | "UNDECODABLE";

/** The message says why, in the words of a kube-apiserver where it has some, without the key. */
export class LayoutError extends Error {
  readonly code: LayoutErrorCode;
  /** Of etcd; for UNKNOWN_KEY of the store. */
  readonly key: string;
  constructor(code: LayoutErrorCode, key: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "LayoutError";
    this.code = code;
    this.key = key;
  }
}
