// Counts the bytes of a message without writing them, because whether an object is too large is asked more often than not
// of objects that are.
import type { Writer } from "./wire.ts";

export class LengthWriter implements Writer {
  readonly isCounting = true;
  length = 0;
  /** The lengths in front of the values that are open. */
  readonly #before: number[] = [];

  uint32(value: number): this {
    this.length += varintLength(value >>> 0);
    return this;
  }

  int32(value: number): this {
    this.length += value < 0 ? NEGATIVE_BYTES : varintLength(value >>> 0);
    return this;
  }

  int64(value: number | string): this {
    this.length += Math.ceil(BigInt.asUintN(64, BigInt(value)).toString(2).length / 7);
    return this;
  }

  bool(): this {
    this.length += 1;
    return this;
  }

  double(): this {
    this.length += 8;
    return this;
  }

  string(value: string): this {
    return this.#delimited(Buffer.byteLength(value));
  }

  bytes(value: Uint8Array): this {
    return this.#delimited(value.length);
  }

  fork(): this {
    this.#before.push(this.length);
    this.length = 0;
    return this;
  }

  ldelim(): this {
    const { length } = this;
    this.length = this.#before.pop() ?? 0;
    return this.#delimited(length);
  }

  #delimited(bytes: number): this {
    this.length += varintLength(bytes) + bytes;
    return this;
  }
}

/** A negative number is written with all of its 64 bits. */
const NEGATIVE_BYTES = 10;

function varintLength(value: number): number {
  let bytes = 1;
  for (let rest = value; rest >= 128; rest /= 128) bytes++;
  return bytes;
}
