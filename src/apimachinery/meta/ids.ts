// Randomness as a parameter: uids and generated name suffixes come from an Ids, so that a seeded run repeats.
import { createHash, randomFillSync } from "node:crypto";

export interface Ids {
  /** A version 4 UUID for metadata.uid. */
  uid(): string;
  /** The five letters that the server adds to generateName (no vowels, so no words). */
  nameSuffix(): string;
}

const SUFFIX_LETTERS = "bcdfghjklmnpqrstvwxz2456789";
const SUFFIX_LENGTH = 5;
const POOL_BYTES = 4096;
const HEX_DIGITS = Buffer.from("0123456789abcdef");
/** Offsets of the digits of each byte in 8-4-4-4-12. */
const UUID_PLACES = [0, 2, 4, 6, 9, 11, 14, 16, 19, 21, 24, 26, 28, 30, 32, 34];

/** Fills the bytes from the system's cryptographically secure generator. */
export const systemRandom = (bytes: Uint8Array): void => void randomFillSync(bytes);

/** Makes ids from a source of random bytes; the default is the system's. */
export function createIds(fill: (bytes: Uint8Array) => void = systemRandom): Ids {
  const pool = Buffer.alloc(POOL_BYTES);
  /** Every response has an id: one shared buffer avoids an allocation each. */
  const text = Buffer.alloc(36, "-");
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
      for (let at = 0; at < 16; at++) {
        const place = UUID_PLACES[at] ?? 0;
        const byte = bytes[at] ?? 0;
        text[place] = HEX_DIGITS[byte >> 4] ?? 0;
        text[place + 1] = HEX_DIGITS[byte & 15] ?? 0;
      }
      return text.toString("latin1");
    },
    nameSuffix() {
      return Array.from(take(SUFFIX_LENGTH), (byte) => SUFFIX_LETTERS[byte % SUFFIX_LETTERS.length]).join("");
    },
  };
}

type Fill = (bytes: Uint8Array) => void;

const KEY_BYTES = 32;

/**
 * All random values of a server. With a seed they come from repeatable generators. Each purpose has its own generator,
 * so an additional response (which has an id) does not change later uids.
 */
export class Chance {
  /** uids, generated names, addresses and ports: values that become part of an object. */
  readonly ids: Ids = following(() => this.#drawn.objects);
  /** Ids of responses. */
  readonly answerIds: Ids = following(() => this.#drawn.answers);
  #drawn: ReturnType<typeof drawnFrom>;

  /**
   * Without a seed nothing repeats. `since` distinguishes the runs of a server with a persistent store. Otherwise the
   * same seed would give new objects the uids of those from an earlier run.
   */
  constructor(seed?: string, since = "") {
    this.#drawn = drawnFrom(seed, since);
  }

  /** undefined: nothing repeats. */
  get seed(): string | undefined {
    return this.#drawn.seed;
  }

  /** Resets all generators to those of a new server with this seed; undefined: nothing repeats any more. */
  reseed(seed: string | undefined): void {
    this.#drawn = drawnFrom(seed, "");
  }

  /** At least 0 and less than 1, for randomly injected faults. */
  fraction(): number {
    const bytes = new Uint8Array(4);
    this.#drawn.faults(bytes);
    return new DataView(bytes.buffer).getUint32(0) / 2 ** 32;
  }

  /**
   * Key material for a private key that is derived from the seed, so it is no secret from anyone with the seed;
   * undefined without one.
   */
  keyBytes(): Uint8Array | undefined {
    if (this.seed === undefined) return undefined;
    const bytes = new Uint8Array(KEY_BYTES);
    this.#drawn.keys(bytes);
    return bytes;
  }
}

const following = (current: () => Ids): Ids => ({
  uid: () => current().uid(),
  nameSuffix: () => current().nameSuffix(),
});

function drawnFrom(seed: string | undefined, since: string) {
  const fill = (purpose: string): Fill =>
    seed === undefined ? systemRandom : repeatable(JSON.stringify([seed, since, purpose]));
  const [objects, answers] = [createIds(fill("objects")), createIds(fill("answers"))];
  return { seed, objects, answers, faults: fill("faults"), keys: fill("keys") };
}

/**
 * The generator sfc32 (Chris Doty-Humphrey's "small fast counting", of PractRand): 128 bits of state, of which 32 are a
 * counter, so no sequence is shorter than 2^32. The state is the hash of the text.
 */
function repeatable(text: string): Fill {
  const hash = createHash("sha256").update(text).digest();
  let [a = 0, b = 0, c = 0, counter = 0] = [0, 4, 8, 12].map((at) => hash.readInt32LE(at));
  const next = (): number => {
    const sum = (a + b + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (((c << 21) | (c >>> 11)) + sum) | 0;
    return sum;
  };
  return (bytes) => {
    for (let at = 0; at < bytes.length; at += 4) {
      const word = next();
      for (let byte = 0; byte < 4 && at + byte < bytes.length; byte++) {
        bytes[at + byte] = (word >>> (8 * byte)) & 0xff;
      }
    }
  };
}
