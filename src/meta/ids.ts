// Randomness as a parameter: uids and generated name suffixes come from an Ids, so that a seeded run repeats.
import { randomFillSync } from "node:crypto";

export interface Ids {
  /** A version 4 UUID for metadata.uid. */
  uid(): string;
  /** The five letters that the server adds to generateName (no vowels, so no words). */
  nameSuffix(): string;
}

const SUFFIX_LETTERS = "bcdfghjklmnpqrstvwxz2456789";
const SUFFIX_LENGTH = 5;
const POOL_BYTES = 4096;

/** Fills the bytes with what nobody can foretell. */
export const systemRandom = (bytes: Uint8Array): void => void randomFillSync(bytes);

/** Makes ids from a source of random bytes; the default is the system's. */
export function createIds(fill: (bytes: Uint8Array) => void = systemRandom): Ids {
  const pool = Buffer.alloc(POOL_BYTES);
  let used = POOL_BYTES;
  const take = (length: number): Buffer => {
    if (used + length > POOL_BYTES) {
      fill(pool);
      used = 0;
    }
    used += length;
    return pool.subarray(used - length, used);
  };
  return {
    uid() {
      const bytes = take(16);
      bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
      bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
      const hex = bytes.toString("hex");
      return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
    },
    nameSuffix() {
      return Array.from(take(SUFFIX_LENGTH), (byte) => SUFFIX_LETTERS[byte % SUFFIX_LETTERS.length]).join("");
    },
  };
}
