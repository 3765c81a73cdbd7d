// How the values of one type stand in protobuf and in JSON, and the types that are a single number, text or bytes.
import type { Reader, Writer } from "./wire.ts";

/** 0: a varint, 1: eight bytes, 2: bytes behind their length. */
export type WireType = 0 | 1 | 2;

export interface ValueType {
  readonly wireType: WireType;
  /** What is written for a missing value where Go has no pointer; undefined: nothing is, even there. */
  readonly zero: unknown;
  write(writer: Writer, value: unknown): void;
  /** depth: how many messages the value stands in. */
  read(reader: Reader, depth: number): unknown;
}

export const STRING: ValueType = {
  wireType: 2,
  zero: "",
  write: (writer, value) => void writer.string(typeof value === "string" ? value : ""),
  read: (reader) => reader.string(),
};

const BOOL: ValueType = {
  wireType: 0,
  zero: false,
  write: (writer, value) => void writer.bool(value === true),
  read: (reader) => reader.bool(),
};

const INT32: ValueType = {
  wireType: 0,
  zero: 0,
  write: (writer, value) => void writer.int32(typeof value === "number" ? value : 0),
  read: (reader) => reader.int32(),
};

const INT64: ValueType = {
  wireType: 0,
  zero: 0,
  write: (writer, value) => {
    if (typeof value === "bigint") writer.int64(String(value));
    else writer.int64(typeof value === "number" ? value : 0);
  },
  read: readInt64,
};

const DOUBLE: ValueType = {
  wireType: 1,
  zero: 0,
  write: (writer, value) => void writer.double(typeof value === "number" ? value : Number(value ?? 0)),
  read: (reader) => reader.double(),
};

/** Base64 in JSON. Go leaves out a nil slice. */
const BYTES: ValueType = {
  wireType: 2,
  zero: undefined,
  write: (writer, value) => void writer.bytes(Buffer.from(typeof value === "string" ? value : "", "base64")),
  read: (reader) => Buffer.from(reader.bytes()).toString("base64"),
};

export const SCALARS: ReadonlyMap<string, ValueType> = new Map([
  ["string", STRING],
  ["bool", BOOL],
  ["int32", INT32],
  ["int64", INT64],
  ["double", DOUBLE],
  ["bytes", BYTES],
]);

/** A number while it is exact, as everywhere in decoded JSON. */
export function readInt64(reader: Reader): number | bigint {
  const { high, low } = reader.int64();
  const near = high * 2 ** 32 + (low >>> 0);
  return Number.isSafeInteger(near) ? near : (BigInt(high) << 32n) | BigInt(low >>> 0);
}
