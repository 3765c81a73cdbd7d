// NaCl's secretbox, which Node's own cryptography does not have. The library is loaded by who has such a key, and nobody else.
import { type MakeTransformer, TransformError } from "./transformers.ts";

const NONCE = 24;
const TAG = 16;

export async function loadSecretbox(): Promise<MakeTransformer> {
  const { secretbox } = await import("@noble/ciphers/salsa.js");
  return (key, fill) => ({
    toStorage(_etcdKey, bytes) {
      const nonce = new Uint8Array(NONCE);
      fill(nonce);
      return Buffer.concat([nonce, secretbox(key, nonce).seal(bytes)]);
    },
    fromStorage(_etcdKey, bytes) {
      if (bytes.length < NONCE + TAG)
        throw new TransformError("the stored data was shorter than the required size");
      try {
        const opened = secretbox(key, bytes.subarray(0, NONCE)).open(bytes.subarray(NONCE));
        return { bytes: opened, isStale: false };
      } catch (cause) {
        // What a kube-apiserver says of a false tag, too.
        throw new TransformError("output array was not large enough for encryption", { cause });
      }
    },
  });
}
