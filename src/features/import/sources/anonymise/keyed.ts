// Pseudorandom functions by a secret key (HMAC): without the key the results can be neither predicted nor inverted.
import { createHash, createHmac } from "node:crypto";

export class Keyed {
  readonly #key: Buffer;

  /** The same key gives the same names in every run. */
  constructor(key: string | Uint8Array) {
    this.#key = createHash("sha256").update("egret anonymise ").update(key).digest();
  }

  /** 32 bytes; results of different purposes are independent. */
  bytes(purpose: string, text: string): Buffer {
    return createHmac("sha256", this.#key).update(`${purpose}\0${text}`).digest();
  }

  /** A number of any length, below 2 to the power of `bits`. */
  number(purpose: string, text: string, bits: number): bigint {
    let number = 0n;
    for (let part = 0; part * 256 < bits; part++)
      number = (number << 256n) | BigInt(`0x${this.bytes(purpose, `${part} ${text}`).toString("hex")}`);
    return number & ((1n << BigInt(bits)) - 1n);
  }
}
