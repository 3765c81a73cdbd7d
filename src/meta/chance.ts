// All that a server draws by chance. With a seed it is drawn from generators that repeat; each purpose has its own, so
// that one more answer (which has an id of its own) does not change the uids that come after it.
import { createHash } from "node:crypto";
import { createIds, type Ids, systemRandom } from "./ids.ts";

type Fill = (bytes: Uint8Array) => void;

const PURPOSES = ["objects", "answers", "faults", "keys"] as const;
const KEY_BYTES = 32;
type Purpose = (typeof PURPOSES)[number];

export class Chance {
  /** uids, generated names, addresses and ports: whatever becomes part of an object. */
  readonly ids: Ids;
  /** What tells answers apart. */
  readonly answerIds: Ids;
  #seed: string | undefined;
  #fills: Readonly<Record<Purpose, Fill>>;
  #drawn: { readonly objects: Ids; readonly answers: Ids };

  /**
   * Without a seed nothing repeats. `since` tells apart the runs of a server that keeps its objects: with the same seed it
   * would otherwise give new objects the uids of those from before.
   */
  constructor(seed?: string, since = "") {
    this.#seed = seed;
    this.#fills = fillsOf(seed, since);
    this.#drawn = this.#idsAnew();
    this.ids = following(() => this.#drawn.objects);
    this.answerIds = following(() => this.#drawn.answers);
  }

  /** undefined: nothing repeats. */
  get seed(): string | undefined {
    return this.#seed;
  }

  /** From now on all is drawn as by a new server with this seed; undefined: nothing repeats any more. */
  reseed(seed: string | undefined): void {
    this.#seed = seed;
    this.#fills = fillsOf(seed, "");
    this.#drawn = this.#idsAnew();
  }

  /** At least 0 and less than 1, for faults that come by chance. */
  fraction(): number {
    const bytes = new Uint8Array(4);
    this.#fills.faults(bytes);
    return new DataView(bytes.buffer).getUint32(0) / 2 ** 32;
  }

  /** What a private key is made of with a seed, so that anybody who knows that can make it; undefined without one. */
  keyBytes(): Uint8Array | undefined {
    if (this.#seed === undefined) return undefined;
    const bytes = new Uint8Array(KEY_BYTES);
    this.#fills.keys(bytes);
    return bytes;
  }

  #idsAnew(): { readonly objects: Ids; readonly answers: Ids } {
    const { objects, answers } = this.#fills;
    return { objects: createIds(objects), answers: createIds(answers) };
  }
}

function following(current: () => Ids): Ids {
  return { uid: () => current().uid(), nameSuffix: () => current().nameSuffix() };
}

function fillsOf(seed: string | undefined, since: string): Readonly<Record<Purpose, Fill>> {
  const fill = (purpose: Purpose): Fill =>
    seed === undefined ? systemRandom : repeatable(JSON.stringify([seed, since, purpose]));
  return { objects: fill("objects"), answers: fill("answers"), faults: fill("faults"), keys: fill("keys") };
}

/**
 * The generator sfc32 (Chris Doty-Humphrey's "small fast counting", of PractRand): 128 bits of state, of which 32 are a
 * counter, so no sequence is shorter than 2^32. The state is the hash of the text.
 */
function repeatable(text: string): Fill {
  const hash = createHash("sha256").update(text).digest();
  let [a, b, c, counter] = [0, 4, 8, 12].map((at) => hash.readInt32LE(at)) as [
    number,
    number,
    number,
    number,
  ]; // as many as there are places
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
