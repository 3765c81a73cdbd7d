// Reads LevelDB's numbers one after the other. Reading beyond the end throws RangeError.

export class ByteReader {
  readonly #bytes: Buffer;
  at: number;
  readonly end: number;

  constructor(bytes: Buffer, at = 0, end = bytes.length) {
    this.#bytes = bytes;
    this.at = at;
    this.end = end;
  }

  get done(): boolean {
    return this.at >= this.end;
  }

  byte(): number {
    if (this.at >= this.end) throw new RangeError("the bytes end too soon");
    return this.#bytes[this.at++] ?? 0;
  }

  /** Seven bits a byte, the low ones first. */
  varint(): number {
    let value = 0;
    let factor = 1;
    for (;;) {
      const byte = this.byte();
      value += (byte & 0x7f) * factor;
      if (byte < 0x80) return value;
      factor *= 128;
    }
  }

  /** So many bytes in the low-first order. */
  fixed(count: number): number {
    let value = 0;
    let factor = 1;
    for (let index = 0; index < count; index++, factor *= 256) value += this.byte() * factor;
    return value;
  }

  take(count: number): Buffer {
    if (count > this.end - this.at) throw new RangeError("the bytes end too soon");
    this.at += count;
    return this.#bytes.subarray(this.at - count, this.at);
  }

  /** Bytes with their length before them. */
  text(): Buffer {
    return this.take(this.varint());
  }
}
