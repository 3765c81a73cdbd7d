// The bytes of a protobuf message, written one after the other into one buffer that grows. How long a message inside of
// another is shows at its end: one byte is kept for it, and a longer one moves up.

const VARINT = 0;
const FIXED64 = 1;
const LENGTH_DELIMITED = 2;

const FIRST_BYTES = 64 * 1024;
/** The longest number: 64 bits, seven in a byte. */
const VARINT_BYTES_MAX = 10;

export class MessageWriter {
  #bytes = Buffer.allocUnsafe(FIRST_BYTES);
  #at = 0;

  /** What has been written, in a buffer of its size. */
  finish(): Buffer {
    return Buffer.from(this.#bytes.subarray(0, this.#at));
  }

  flag(field: number): void {
    this.#key(field, VARINT);
    this.#varint(1);
  }

  /** Of 64 bits. */
  integer(field: number, value: bigint): void {
    this.#key(field, VARINT);
    let rest = value;
    for (; rest > 0x7fn; rest >>= 7n) this.#bytes[this.#at++] = Number(rest & 0x7fn) | 0x80;
    this.#bytes[this.#at++] = Number(rest);
  }

  double(field: number, value: number): void {
    this.#key(field, FIXED64);
    this.#at = this.#bytes.writeDoubleLE(value, this.#at);
  }

  text(field: number, value: string): void {
    const length = Buffer.byteLength(value);
    this.#key(field, LENGTH_DELIMITED);
    this.#varint(length);
    this.#grow(length);
    this.#at += this.#bytes.write(value, this.#at);
  }

  /** Begins a message inside of this one; its end is told to end(). */
  begin(field: number): number {
    this.#key(field, LENGTH_DELIMITED);
    return ++this.#at;
  }

  /** Ends the message that begin() has given this place. */
  end(begun: number): void {
    const length = this.#at - begun;
    const moved = varintBytes(length) - 1;
    this.#grow(VARINT_BYTES_MAX);
    if (moved > 0) this.#bytes.copyWithin(begun + moved, begun, this.#at);
    this.#at = begun - 1;
    this.#varint(length);
    this.#at += length;
  }

  /** There is place for a number behind it. */
  #key(field: number, type: number): void {
    this.#grow(2 * VARINT_BYTES_MAX);
    this.#varint((field << 3) | type);
  }

  #varint(value: number): void {
    let rest = value;
    for (; rest > 0x7f; rest = Math.floor(rest / 128)) this.#bytes[this.#at++] = (rest % 128) | 0x80;
    this.#bytes[this.#at++] = rest;
  }

  #grow(more: number): void {
    const needed = this.#at + more;
    if (needed <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafe(Math.max(needed, this.#bytes.length * 2));
    this.#bytes.copy(larger, 0, 0, this.#at);
    this.#bytes = larger;
  }
}

function varintBytes(value: number): number {
  let bytes = 1;
  for (let rest = value; rest > 0x7f; rest = Math.floor(rest / 128)) bytes++;
  return bytes;
}
