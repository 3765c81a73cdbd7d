// Messages between the test and the thread of a fuzz target.

export interface FuzzOrder {
  readonly target: string;
  readonly seed: number;
  /** At most so many inputs, and at most for so long. */
  readonly inputs: number;
  readonly msMax: number;
  readonly shared: SharedArrayBuffer;
}

export interface FuzzReport {
  /** The number of parsed inputs. */
  readonly done: number;
  /** The failure of the current input. */
  readonly finding?: string;
}

const HEAD_BYTES = 8;

/** The current input: its number, its length, its bytes. */
export class CurrentInput {
  readonly #head: Int32Array;
  readonly #bytes: Uint8Array;

  constructor(shared: SharedArrayBuffer) {
    this.#head = new Int32Array(shared, 0, 2);
    this.#bytes = new Uint8Array(shared, HEAD_BYTES);
  }

  static memory(bytesMax: number): SharedArrayBuffer {
    return new SharedArrayBuffer(HEAD_BYTES + bytesMax);
  }

  set(number: number, input: Uint8Array): void {
    const kept = input.subarray(0, this.#bytes.length);
    this.#bytes.set(kept);
    Atomics.store(this.#head, 1, kept.length);
    Atomics.store(this.#head, 0, number);
  }

  get number(): number {
    return Atomics.load(this.#head, 0);
  }

  get input(): Buffer {
    return Buffer.from(this.#bytes.slice(0, Atomics.load(this.#head, 1)));
  }
}
