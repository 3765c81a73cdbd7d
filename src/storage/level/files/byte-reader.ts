// Reads LevelDB's numbers one after the other. Reading beyond the end throws RangeError.

export class ByteReader {
  #rest: Buffer;

  constructor(bytes: Buffer) {
    this.#rest = bytes;
  }

  get done(): boolean {
    return this.#rest.length === 0;
  }

  byte(): number {
    return this.take(1).readUInt8();
  }

  /** Seven bits a byte, the low ones first. */
  varint(): number {
    const byte = this.byte();
    return byte < 0x80 ? byte : byte - 0x80 + 0x80 * this.varint();
  }

  /** So many bytes, up to 4, in the low-first order. */
  fixed(count: number): number {
    return this.take(count).readUIntLE(0, count);
  }

  take(count: number): Buffer {
    if (count > this.#rest.length) throw new RangeError("the bytes end too soon");
    const taken = this.#rest.subarray(0, count);
    this.#rest = this.#rest.subarray(count);
    return taken;
  }

  /** Bytes with their length before them. */
  text(): Buffer {
    return this.take(this.varint());
  }
}
