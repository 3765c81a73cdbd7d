// NaCl's secretbox, which Node's crypto lacks. The library is loaded only when a secretbox key is configured.
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
        // A kube-apiserver returns this error for an invalid tag too.
        throw new TransformError("output array was not large enough for encryption", { cause });
      }
    },
  });
}
