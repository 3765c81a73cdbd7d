// The one door to protobufjs: its Reader and Writer, loaded with the first message, and what goes wrong in reading,
// in the words of a Go decoder.

import { createRequire } from "node:module";
import type * as protobufjs from "protobufjs/minimal.js";

export type Reader = protobufjs.Reader;

/** What messages are written to. */
export interface Writer {
  /** Nothing is written but counted, so that the order is no matter. */
  readonly isCounting?: boolean;
  uint32(value: number): Writer;
  int32(value: number): Writer;
  int64(value: number | string): Writer;
  bool(value: boolean): Writer;
  double(value: number): Writer;
  string(value: string): Writer;
  bytes(value: Uint8Array): Writer;
  /** Until ldelim() what is written is one value, with its length in front. */
  fork(): Writer;
  ldelim(): Writer;
}

/** Bytes that are no message of the type that they should be. */
export class ProtobufError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "ProtobufError";
  }
}

let loaded: typeof protobufjs | undefined;

/** Loading takes longer than a server without protobuf clients should wait. */
function library(): typeof protobufjs {
  loaded ??= createRequire(import.meta.url)("protobufjs/minimal.js") as typeof protobufjs; // as its types say
  return loaded;
}

export const newWriter = (): protobufjs.Writer => library().Writer.create();

/** The bytes as a Buffer, because only then its strings are read by Node itself. */
export function newReader(bytes: Uint8Array): Reader {
  return library().Reader.create(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length));
}

/** Narrows the reader to the length-delimited value at its place; returns what widen() takes back. */
export function narrow(reader: Reader): number {
  const outer = reader.len;
  const length = reader.uint32();
  if (length > outer - reader.pos) throw new RangeError("the value is longer than what holds it");
  reader.len = reader.pos + length;
  return outer;
}

export function widen(reader: Reader, outer: number): void {
  reader.len = outer;
}

/** Runs a reading; whatever stops it leaves as a ProtobufError. */
export function reading<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof ProtobufError || !(error instanceof Error)) throw error;
    throw new ProtobufError(wording(error), { cause: error });
  }
}

function wording(error: Error): string {
  if (error instanceof RangeError) return "unexpected EOF";
  const wireType = /^invalid wire type (\d+)/.exec(error.message)?.[1];
  if (wireType !== undefined) return `proto: illegal wireType ${wireType}`;
  if (/encoding$/.test(error.message)) return "proto: integer overflow";
  return `proto: ${error.message}`;
}

/** Counts the bytes of a message without writing them: whether an object is too large is asked more often than not of small ones. */
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
