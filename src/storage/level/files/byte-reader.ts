// Reads LevelDB's numbers one after the other. Reading beyond the end throws RangeError.

export class ByteReader {
  readonly #bytes: Buffer;
  /** An offset instead of subarrays: a buffer per read would cost more than all the rest of the decoding. */
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

  /** A LEB128 varint: seven bits per byte, low bits first, at most 64 bits. */
  varint(): number {
    let value = 0;
    for (let weight = 1; weight < 2 ** 64; weight *= 0x80) {
      const byte = this.byte();
      value += (byte & 0x7f) * weight;
      if (byte < 0x80) return value;
    }
    throw new RangeError("a number has more than 64 bits");
  }

  /** A little-endian integer of up to 4 bytes. */
  fixed(count: number): number {
    return this.#bytes.readUIntLE(this.skip(count), count);
  }

  take(count: number): Buffer {
    const from = this.skip(count);
    return this.#bytes.subarray(from, this.#at);
  }

  /** Bytes with a length prefix. */
  text(): Buffer {
    return this.take(this.varint());
  }

  /** Skips bytes; returns the offset where they begin. */
  skip(count: number): number {
    const from = this.#at;
    const isThere = count <= this.#bytes.length - from; // false for NaN, too, which an endless number yields
    if (!isThere) throw new RangeError("the bytes end too soon");
    this.#at = from + count;
    return from;
  }
}
