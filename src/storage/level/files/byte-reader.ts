// Reads LevelDB's numbers one after the other. Reading beyond the end throws RangeError.

export class ByteReader {
  readonly #bytes: Buffer;
  /** The place goes on, as a buffer for every byte would cost more than all else that is done with it. */
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get done(): boolean {
    return this.#at === this.#bytes.length;
  }

  byte(): number {
    return this.#bytes[this.skip(1)] ?? 0;
  }

  /** Seven bits a byte, the low ones first; at most the 64 bits that LevelDB writes. */
  varint(): number {
    let value = 0;
    for (let weight = 1; weight < 2 ** 64; weight *= 0x80) {
      const byte = this.byte();
      value += (byte & 0x7f) * weight;
      if (byte < 0x80) return value;
    }
    throw new RangeError("a number has more than 64 bits");
  }

  /** So many bytes, up to 4, in the low-first order. */
  fixed(count: number): number {
    return this.#bytes.readUIntLE(this.skip(count), count);
  }

  take(count: number): Buffer {
    const from = this.skip(count);
    return this.#bytes.subarray(from, this.#at);
  }

  /** Bytes with their length before them. */
  text(): Buffer {
    return this.take(this.varint());
  }

  /** Goes over so many bytes; returns where they begin. */
  skip(count: number): number {
    const from = this.#at;
    const isThere = count <= this.#bytes.length - from; // not so for NaN, which an endless number comes to
    if (!isThere) throw new RangeError("the bytes end too soon");
    this.#at = from + count;
    return from;
  }
}
