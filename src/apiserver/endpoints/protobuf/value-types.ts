// Values in protobuf and in JSON: scalars, text and bytes, and Kubernetes types that are messages in protobuf and
// shorter in JSON:
//
//   Time, MicroTime   { seconds, nanos }           "2026-11-20T08:00:00Z"
//   Quantity          { string }                   "500m"
//   IntOrString       { type, intVal, strVal }     80 or "http"
//   Strings           { items }                    ["get","list"]
//   RawExtension, FieldsV1, JSON  { raw }          the JSON in the bytes
//
// This module is the only user of protobufjs: its Reader and Writer are loaded with the first message.
import { createRequire } from "node:module";
import type * as protobufjs from "protobufjs/minimal.js";
import { formatMetaTime, ZERO_SECONDS } from "../../../apimachinery/go/time.ts";
import { textOf } from "../../../apimachinery/json/json.ts";
import { JsonSyntaxError } from "../../../apimachinery/json/json-decode.ts";
import { encodeJson } from "../../../apimachinery/json/json-encode.ts";
import { lateBytes, lateText } from "../../../apimachinery/json/json-in-turns.ts";
import { decodeJsonValue } from "../../../apimachinery/json/json-value.ts";
import { fieldsText } from "./fields-text.ts";

export type Reader = protobufjs.Reader;
/** A counting writer only computes the length: of bytes it needs only their number. */
export type Writer = protobufjs.Writer & { readonly counts?: boolean };

let loaded: typeof protobufjs | undefined;

/** Loaded lazily: servers without protobuf clients need not spend the load time. */
function library(): typeof protobufjs {
  loaded ??= createRequire(import.meta.url)("protobufjs/minimal.js") as typeof protobufjs; // its types are trusted
  return loaded;
}

export const newWriter = (): Writer => library().Writer.create();

export const newCounter = (): Writer => Object.assign(newWriter(), { counts: true });

/** Converts to a Buffer, because protobufjs decodes strings natively only from Buffers. */
export function newReader(bytes: Uint8Array): Reader {
  return library().Reader.create(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length));
}

/** Limits the reader to the length-delimited value at its position. */
export function within<T>(reader: Reader, read: () => T): T {
  const outer = reader.len;
  const length = reader.uint32();
  if (length > outer - reader.pos) throw new RangeError("the value is longer than what holds it");
  reader.len = reader.pos + length;
  const value = read();
  reader.len = outer;
  return value;
}

export interface TypeIdentity {
  readonly apiVersion: string;
  readonly kind: string;
}

/** The bytes cannot be decoded. `identity` is their type, once it is known. */
export class ProtobufDecodeError extends Error {
  readonly identity: TypeIdentity | undefined;
  constructor(message: string, identity?: TypeIdentity, options?: ErrorOptions) {
    super(message, options);
    this.name = "ProtobufDecodeError";
    this.identity = identity;
  }
}

/** Runs a decoder. Converts any error to a ProtobufDecodeError with the text of a Go decoder. */
export function decoding<T>(identity: TypeIdentity | undefined, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    throw new ProtobufDecodeError(wording(error), identity, { cause: error });
  }
}

function wording(error: Error): string {
  if (error instanceof ProtobufDecodeError) return error.message;
  if (error instanceof RangeError) return "unexpected EOF";
  const wireType = /^invalid wire type (\d+)/.exec(error.message)?.[1];
  if (wireType !== undefined) return `proto: illegal wireType ${wireType}`;
  if (/encoding$/.test(error.message)) return "proto: integer overflow";
  return `proto: ${error.message}`;
}

export const VARINT = 0;
export const FIXED64 = 1;
/** Length-delimited bytes. */
export const DELIMITED = 2;
export type WireType = typeof VARINT | typeof FIXED64 | typeof DELIMITED;

export const tagOf = (number: number, wireType: WireType): number => ((number << 3) | wireType) >>> 0;

export interface ValueType {
  readonly wireType: WireType;
  /** The value that Go encodes for a missing non-pointer field; undefined: the field is omitted. */
  readonly zero: unknown;
  write(writer: Writer, value: unknown): void;
  /** `depth` is the nesting depth of messages; `known` is the value read so far of a message that comes in parts. */
  read(reader: Reader, depth: number, known?: unknown): unknown;
  /** The number of bytes that `write` produces, where that is cheaper to compute. */
  readonly bytesOf?: (value: unknown) => number;
}

/** Bytes of a varint: a length or a tag. */
export function varintBytes(value: number): number {
  let bytes = 1;
  for (let rest = value; rest >= 128; rest = Math.floor(rest / 128)) bytes++;
  return bytes;
}

/** Bytes of a length-delimited value with its length. */
export const delimited = (bytes: number): number => varintBytes(bytes) + bytes;

export const STRING: ValueType = {
  wireType: DELIMITED,
  zero: "",
  write: (writer, value) => void writer.string(textOf(value)),
  read: (reader) => reader.string(),
  bytesOf: (value) => delimited(Buffer.byteLength(textOf(value))),
};

const BOOL: ValueType = {
  wireType: VARINT,
  zero: false,
  write: (writer, value) => void writer.bool(value === true),
  read: (reader) => reader.bool(),
};

const INT32: ValueType = {
  wireType: VARINT,
  zero: 0,
  write: (writer, value) => void writer.int32(typeof value === "number" ? value : 0),
  read: (reader) => reader.int32(),
};

const INT64: ValueType = {
  wireType: VARINT,
  zero: 0,
  write: (writer, value) =>
    void writer.int64(typeof value === "bigint" ? String(value) : typeof value === "number" ? value : 0),
  /** A number if it is exact, otherwise a bigint, as in decoded JSON. */
  read(reader) {
    const { high, low } = reader.int64();
    const near = high * 2 ** 32 + (low >>> 0);
    return Number.isSafeInteger(near) ? near : (BigInt(high) << 32n) | BigInt(low >>> 0);
  },
};

const DOUBLE: ValueType = {
  wireType: FIXED64,
  zero: 0,
  write: (writer, value) => void writer.double(typeof value === "number" ? value : Number(value ?? 0)),
  read: (reader) => reader.double(),
};

/** Base64 in JSON. Go omits a nil slice. */
const BYTES: ValueType = {
  wireType: DELIMITED,
  zero: undefined,
  write: (writer, value) => void writer.bytes(Buffer.from(textOf(value), "base64")),
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

type ReadValue = Pick<ValueType, "wireType" | "read">;

/** All values of each field, in the order of `types`. Other fields are skipped. */
export function readFields(reader: Reader, types: readonly ReadValue[]): readonly unknown[][] {
  const values = types.map((): unknown[] => []);
  while (reader.pos < reader.len) {
    const tag = reader.uint32();
    const at = (tag >>> 3) - 1;
    const type = types[at];
    if (type === undefined || type.wireType !== (tag & 7)) reader.skipType(tag & 7);
    else values[at]?.push(type.read(reader, 0));
  }
  return values;
}

/** A message whose fields are read by these types and converted to its JSON form. */
function messageOf(
  zero: unknown,
  types: readonly ReadValue[],
  toJson: (values: readonly unknown[][], isEmpty: boolean) => unknown,
  writeFields: (writer: Writer, value: unknown) => void,
): ValueType {
  return {
    wireType: DELIMITED,
    zero,
    write(writer, value) {
      writer.fork();
      writeFields(writer, value);
      writer.ldelim();
    },
    read(reader) {
      return within(reader, () => {
        const isEmpty = reader.pos === reader.len;
        return toJson(readFields(reader, types), isEmpty);
      });
    },
  };
}

const SECONDS_MAX = 253_402_300_799; // 9999-12-31T23:59:59Z
const FRACTION = /\.(\d{1,9})/;

/** Go encodes the zero time as an empty message; in JSON it is null. */
const timeType = (micro: boolean): ValueType =>
  messageOf(
    null,
    [INT64, INT32],
    ([seconds, nanos], isEmpty) =>
      isEmpty
        ? null
        : timeText(
            Number(seconds?.at(-1) ?? 0),
            micro ? Math.floor(Number(nanos?.at(-1) ?? 0) / 1000) : undefined,
          ),
    (writer, value) => {
      const ms = typeof value === "string" ? Date.parse(value) : Number.NaN;
      const seconds = Math.floor(ms / 1000);
      if (Number.isNaN(ms) || seconds === ZERO_SECONDS) return;
      const fraction = micro ? FRACTION.exec(String(value))?.[1] : undefined;
      const nanos = fraction === undefined ? 0 : Number(fraction.padEnd(9, "0").slice(0, 6)) * 1000;
      writer.uint32(8).int64(seconds).uint32(16).int32(nanos);
    },
  );

function timeText(seconds: number, micros: number | undefined): string | null {
  if (seconds === ZERO_SECONDS && !micros) return null;
  if (seconds < ZERO_SECONDS || seconds > SECONDS_MAX) {
    throw new ProtobufDecodeError("Time.MarshalJSON: year outside of range [0,9999]");
  }
  return formatMetaTime(seconds, micros);
}

const QUANTITY = messageOf(
  "0",
  [STRING],
  ([texts]) => texts?.at(-1) ?? "0",
  (writer, value) => writer.uint32(10).string(typeof value === "string" ? value : encodeJson(value ?? 0)),
);

const TYPE_STRING = 1;

const INT_OR_STRING = messageOf(
  0,
  [INT64, INT32, STRING],
  ([types, numbers, texts]) => {
    const type = Number(types?.at(-1) ?? 0);
    if (type === TYPE_STRING) return texts?.at(-1) ?? "";
    if (type === 0) return numbers?.at(-1) ?? 0;
    throw new ProtobufDecodeError("impossible IntOrString.Type");
  },
  (writer, value) => {
    writer.uint32(8).uint32(typeof value === "string" ? TYPE_STRING : 0);
    writer.uint32(16).int32(typeof value === "number" ? value : 0);
    writer.uint32(26).string(textOf(value));
  },
);

/** A list that is the value of a map. As elsewhere, Go does not distinguish an absent list from an empty one. */
const STRINGS = messageOf(
  null,
  [STRING],
  ([items = []]) => (items.length > 0 ? items : null),
  (writer, value) => {
    if (Array.isArray(value)) for (const item of value) STRING.write(writer.uint32(10), item);
  },
);

const jsonType = (textOfJson: (value: unknown) => string): ValueType =>
  messageOf(
    null,
    [{ wireType: DELIMITED, read: (reader) => parseJson(reader.bytes()) }],
    ([values]) => values?.at(-1) ?? null,
    (writer, value) => {
      if (value === null || value === undefined) return;
      const bytes = writer.counts ? lateBytes(value) : undefined;
      if (bytes === undefined) writer.uint32(10).string(lateText(value) ?? textOfJson(value));
      else writer.uint32(10).bytes(Buffer.allocUnsafe(bytes));
    },
  );

const RAW_JSON = jsonType(encodeJson);

function parseJson(bytes: Uint8Array): unknown {
  if (bytes.length === 0) return null;
  try {
    return decodeJsonValue(bytes);
  } catch (error) {
    throw error instanceof JsonSyntaxError
      ? new ProtobufDecodeError(error.message, undefined, { cause: error })
      : error;
  }
}

export const SPECIAL_TYPES: ReadonlyMap<string, ValueType> = new Map([
  ["Time", timeType(false)],
  ["MicroTime", timeType(true)],
  ["Quantity", QUANTITY],
  ["IntOrString", INT_OR_STRING],
  ["Strings", STRINGS],
  ["RawExtension", RAW_JSON],
  ["FieldsV1", jsonType(fieldsText)],
  ["JSON", RAW_JSON],
]);
