// Encryption at rest: the form of values in etcd is a prefix with the provider and its key, followed by data. Texts
// and forms are those of apiserver's storage/value.
//
//   k8s:enc:aescbc:v1:KEY:       IV 16 | AES-CBC, PKCS#7 padding; not authenticated
//   k8s:enc:aesgcm:v1:KEY:       nonce 12 | AES-GCM | tag 16; the tag authenticates the etcd key too
//   k8s:enc:secretbox:v1:KEY:    nonce 24 | XSalsa20-Poly1305, the tag first
import { createCipheriv, createDecipheriv } from "node:crypto";
import { momentNow, secondsSince } from "../../apimachinery/meta/clock.ts";
import type { Direction, Transformations } from "../../apimachinery/meta/transformation-metrics.ts";

export interface Transformer {
  /** The value to store at that etcd key. */
  toStorage(etcdKey: string, bytes: Uint8Array): Uint8Array;
  /** Throws TransformError. */
  fromStorage(etcdKey: string, bytes: Uint8Array): Untransformed;
}

export interface Untransformed {
  readonly bytes: Uint8Array;
  /** Whether another provider or key would write it. */
  readonly isStale: boolean;
}

/** The bytes cannot be decrypted. The message is that of a kube-apiserver. */
export class TransformError extends Error {}

/** Fills bytes with cryptographically secure random data. */
export type FillRandom = (bytes: Uint8Array) => void;

const ENCRYPTED = Buffer.from("k8s:enc:");

/** Returns bytes unchanged, and rejects encrypted ones. */
export const identity: Transformer = {
  toStorage: (_key, bytes) => bytes,
  fromStorage(_key, bytes) {
    if (startsWith(bytes, ENCRYPTED))
      throw new TransformError("identity transformer tried to read encrypted data");
    return { bytes, isStale: false };
  },
};

const startsWith = (bytes: Uint8Array, prefix: Uint8Array): boolean =>
  bytes.length >= prefix.length && prefix.every((byte, index) => bytes[index] === byte);

/** A prefix and its transformer. */
export interface Prefixed {
  readonly prefix: string;
  readonly transformer: Transformer;
}

/** Counters of transformations by direction and prefix. */
export type Counted = (direction: Direction, prefix: string) => Pick<Transformations, "done">;

const uncounted: Counted = () => ({ done: () => {} });

/**
 * The first transformer writes. Reading tries each transformer whose prefix matches; `none` is the error without
 * one, or with only identity, which has no prefix. Providers and keys are counted separately, as in a
 * kube-apiserver.
 */
export function byPrefix(
  given: readonly Prefixed[],
  none: string,
  counted: Counted = uncounted,
): Transformer {
  const all = given.map(({ prefix, transformer }) => ({ prefix: Buffer.from(prefix), transformer }));
  const [first] = all;
  if (first === undefined) throw new Error("nobody would write anything");
  return {
    toStorage(key, bytes) {
      const since = momentNow();
      const data = first.transformer.toStorage(key, bytes);
      counted("to_storage", String(first.prefix)).done(secondsSince(since), false);
      return first.prefix.length === 0 ? data : Buffer.concat([first.prefix, data]);
    },
    fromStorage(key, bytes) {
      const errors: string[] = [];
      const since = momentNow();
      const done = (prefix: string, isFailure: boolean) =>
        counted("from_storage", prefix).done(secondsSince(since), isFailure);
      for (const { prefix, transformer } of all) {
        if (!startsWith(bytes, prefix)) continue;
        try {
          const read = transformer.fromStorage(key, bytes.subarray(prefix.length));
          done(prefix.length === 0 ? "identity" : String(prefix), false);
          return { ...read, isStale: read.isStale || transformer !== first.transformer };
        } catch (error) {
          if (!(error instanceof TransformError)) throw error;
          if (prefix.length === 0) continue;
          done(String(prefix), true);
          errors.push(error.message);
        }
      }
      if (errors.length === 0) done("unknown", true);
      throw new TransformError(errors.length === 0 ? none : aggregate(errors));
    },
  };
}

/** As Go prints an aggregate of errors. */
function aggregate(errors: readonly string[]): string {
  const distinct = [...new Set(errors)];
  return distinct.length === 1 ? (distinct[0] ?? "") : `[${distinct.join(", ")}]`;
}

/** Creates a transformer for one key of a provider. */
export type MakeTransformer = (key: Uint8Array, fill: FillRandom) => Transformer;

const SHORT = "the stored data was shorter than the required size";

function drawn(length: number, fill: FillRandom): Uint8Array {
  const bytes = new Uint8Array(length);
  fill(bytes);
  return bytes;
}

const BLOCK = 16;

export const aesCbc: MakeTransformer = (key, fill) => {
  const algorithm = `aes-${key.length * 8}-cbc`;
  return {
    toStorage(_etcdKey, bytes) {
      const iv = drawn(BLOCK, fill);
      const cipher = createCipheriv(algorithm, key, iv);
      return Buffer.concat([iv, cipher.update(bytes), cipher.final()]);
    },
    fromStorage(_etcdKey, bytes) {
      if (bytes.length < BLOCK) throw new TransformError(SHORT);
      if (bytes.length % BLOCK !== 0)
        throw new TransformError("the stored data is not a multiple of the block size");
      const decipher = createDecipheriv(algorithm, key, bytes.subarray(0, BLOCK)).setAutoPadding(false);
      const padded = Buffer.concat([decipher.update(bytes.subarray(BLOCK)), decipher.final()]);
      return { bytes: withoutPadding(padded), isStale: false };
    },
  };
};

/** The last byte is the length of the padding. */
function withoutPadding(padded: Buffer): Buffer {
  const count = padded.at(-1) ?? 0;
  if (count === 0 || count > padded.length)
    throw new TransformError("invalid PKCS7 data (empty or not padded)");
  const end = padded.length - count;
  if (padded.subarray(end).some((byte) => byte !== count))
    throw new TransformError("invalid padding on input");
  return padded.subarray(0, end);
}

const GCM_NONCE = 12;
const GCM_TAG = 16;

export const aesGcm: MakeTransformer = (key, fill) => {
  const algorithm = `aes-${key.length * 8}-gcm` as "aes-256-gcm";
  return {
    toStorage(etcdKey, bytes) {
      const nonce = drawn(GCM_NONCE, fill);
      const cipher = createCipheriv(algorithm, key, nonce).setAAD(Buffer.from(etcdKey));
      const data = [cipher.update(bytes), cipher.final()];
      return Buffer.concat([nonce, ...data, cipher.getAuthTag()]);
    },
    fromStorage(etcdKey, bytes) {
      if (bytes.length < GCM_NONCE) throw new TransformError(SHORT);
      const tagAt = bytes.length - GCM_TAG;
      if (tagAt < GCM_NONCE) throw new TransformError(UNTRUE);
      const decipher = createDecipheriv(algorithm, key, bytes.subarray(0, GCM_NONCE))
        .setAAD(Buffer.from(etcdKey))
        .setAuthTag(bytes.subarray(tagAt));
      const data = decipher.update(bytes.subarray(GCM_NONCE, tagAt));
      try {
        return { bytes: Buffer.concat([data, decipher.final()]), isStale: false };
      } catch (cause) {
        throw new TransformError(UNTRUE, { cause });
      }
    },
  };
};

const UNTRUE = "cipher: message authentication failed";
