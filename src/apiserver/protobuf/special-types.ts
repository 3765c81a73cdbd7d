// Types of Kubernetes that are messages on the wire and something shorter in JSON:
//
//   Time, MicroTime   { seconds, nanos }           "2026-11-20T08:00:00Z"
//   Quantity          { string }                   "500m"
//   IntOrString       { type, intVal, strVal }     80 or "http"
//   Strings           { items }                    ["get","list"]
//   RawExtension, FieldsV1, JSON  { raw }          the JSON that the bytes hold
import { formatMetaTime, ZERO_SECONDS } from "../../go/time.ts";
import { decodeJson, JsonSyntaxError } from "../../meta/json-decode.ts";
import { encodeJson } from "../../meta/json-encode.ts";
import { lateText } from "../../meta/json-in-turns.ts";
import { readInt64, STRING, type ValueType } from "./value-type.ts";
import { narrow, ProtobufError, type Reader, widen } from "./wire.ts";

/** Reads a message field by field; fields that take does not read are skipped. */
function readFields(reader: Reader, take: (field: number, wireType: number) => boolean): void {
  const outer = narrow(reader);
  while (reader.pos < reader.len) {
    const tag = reader.uint32();
    if (!take(tag >>> 3, tag & 7)) reader.skipType(tag & 7);
  }
  widen(reader, outer);
}

const VARINT = 0;
const DELIMITED = 2;
const SECONDS_MAX = 253_402_300_799; // 9999-12-31T23:59:59Z
const FRACTION = /\.(\d{1,9})/;

/** Go writes its zero time as a message without fields; in JSON it is null. */
function timeType(micro: boolean): ValueType {
  return {
    wireType: 2,
    zero: null,
    write(writer, value) {
      writer.fork();
      const ms = typeof value === "string" ? Date.parse(value) : Number.NaN;
      const seconds = Math.floor(ms / 1000);
      if (!Number.isNaN(ms) && seconds !== ZERO_SECONDS) {
        const fraction = micro ? FRACTION.exec(String(value))?.[1] : undefined;
        const nanos = fraction === undefined ? 0 : Number(fraction.padEnd(9, "0").slice(0, 6)) * 1000;
        writer.uint32(8).int64(seconds).uint32(16).int32(nanos);
      }
      writer.ldelim();
    },
    read(reader) {
      let seconds: number | bigint = 0;
      let nanos = 0;
      let isZero = true;
      readFields(reader, (field, wireType) => {
        isZero = false;
        if (field === 1 && wireType === VARINT) seconds = readInt64(reader);
        else if (field === 2 && wireType === VARINT) nanos = reader.int32();
        else return false;
        return true;
      });
      return isZero ? null : timeText(Number(seconds), micro ? Math.floor(nanos / 1000) : undefined);
    },
  };
}

function timeText(seconds: number, micros: number | undefined): string | null {
  if (seconds === ZERO_SECONDS && !micros) return null;
  if (seconds < ZERO_SECONDS || seconds > SECONDS_MAX) {
    throw new ProtobufError("Time.MarshalJSON: year outside of range [0,9999]");
  }
  return formatMetaTime(seconds, micros);
}

const QUANTITY: ValueType = {
  wireType: 2,
  zero: "0",
  write(writer, value) {
    writer
      .fork()
      .uint32(10)
      .string(typeof value === "string" ? value : encodeJson(value ?? 0))
      .ldelim();
  },
  read(reader) {
    let text = "0";
    readFields(reader, (field, wireType) => {
      if (field !== 1 || wireType !== DELIMITED) return false;
      text = reader.string();
      return true;
    });
    return text;
  },
};

const TYPE_STRING = 1;

const INT_OR_STRING: ValueType = {
  wireType: 2,
  zero: 0,
  write(writer, value) {
    const text = typeof value === "string" ? value : undefined;
    writer.fork();
    writer.uint32(8).uint32(text === undefined ? 0 : TYPE_STRING);
    writer.uint32(16).int32(typeof value === "number" ? value : 0);
    writer.uint32(26).string(text ?? "");
    writer.ldelim();
  },
  read(reader) {
    let type: number | bigint = 0;
    let number = 0;
    let text = "";
    readFields(reader, (field, wireType) => {
      if (field === 1 && wireType === VARINT) type = readInt64(reader);
      else if (field === 2 && wireType === VARINT) number = reader.int32();
      else if (field === 3 && wireType === DELIMITED) text = reader.string();
      else return false;
      return true;
    });
    if (Number(type) === TYPE_STRING) return text;
    if (Number(type) === 0) return number;
    throw new ProtobufError("impossible IntOrString.Type");
  },
};

/** A list that is the value of a map. Go tells none from an empty one as little as elsewhere. */
const STRINGS: ValueType = {
  wireType: 2,
  zero: null,
  write(writer, value) {
    writer.fork();
    if (Array.isArray(value)) for (const item of value) STRING.write(writer.uint32(10), item);
    writer.ldelim();
  },
  read(reader) {
    const items: string[] = [];
    readFields(reader, (field, wireType) => {
      if (field !== 1 || wireType !== DELIMITED) return false;
      items.push(reader.string());
      return true;
    });
    return items.length > 0 ? items : null;
  },
};

const RAW_JSON: ValueType = {
  wireType: 2,
  zero: null,
  write(writer, value) {
    writer.fork();
    if (value !== null && value !== undefined) writer.uint32(10).string(lateText(value) ?? encodeJson(value));
    writer.ldelim();
  },
  read(reader) {
    let value: unknown = null;
    readFields(reader, (field, wireType) => {
      if (field !== 1 || wireType !== DELIMITED) return false;
      value = parseJson(reader.bytes());
      return true;
    });
    return value;
  },
};

function parseJson(bytes: Uint8Array): unknown {
  if (bytes.length === 0) return null;
  try {
    return decodeJson(bytes).value;
  } catch (error) {
    throw error instanceof JsonSyntaxError ? new ProtobufError(error.message, { cause: error }) : error;
  }
}

export const SPECIAL_TYPES: ReadonlyMap<string, ValueType> = new Map([
  ["Time", timeType(false)],
  ["MicroTime", timeType(true)],
  ["Quantity", QUANTITY],
  ["IntOrString", INT_OR_STRING],
  ["Strings", STRINGS],
  ["RawExtension", RAW_JSON],
  ["FieldsV1", RAW_JSON],
  ["JSON", RAW_JSON],
]);
