// Parts from which the protobuf form of OpenAPI documents is put together. That form (gnostic) has a message for
// every object of the specification, pairs of name and value in place of maps, and YAML text for free values.
import { isObject, type JsonObject } from "../../../meta/json.ts";
import { encodeJson } from "../../../meta/json-encode.ts";

/** Writes one value under a field number, or nothing where the value is the type's default. */
export type Emit = (field: number, value: unknown, out: Buffer[]) => void;

/** Writes the fields of one message. */
export type EncodeMessage = (value: unknown, out: Buffer[]) => void;

const VARINT = 0;
const FIXED64 = 1;
const LENGTH_DELIMITED = 2;

export function encodeMessage(encode: EncodeMessage, value: unknown): Buffer {
  const out: Buffer[] = [];
  encode(value, out);
  return Buffer.concat(out);
}

export const text: Emit = (field, value, out) => {
  if (typeof value === "string" && value !== "") writeBytes(field, Buffer.from(value), out);
};

export const flag: Emit = (field, value, out) => {
  if (value === true) out.push(varint((field << 3) | VARINT), varint(1));
};

export const integer: Emit = (field, value, out) => {
  if (typeof value !== "number" && typeof value !== "bigint") return;
  const whole = typeof value === "bigint" ? value : BigInt(Math.trunc(value));
  if (whole !== 0n) out.push(varint((field << 3) | VARINT), bigVarint(BigInt.asUintN(64, whole)));
};

export const double: Emit = (field, value, out) => {
  if ((typeof value !== "number" && typeof value !== "bigint") || Number(value) === 0) return;
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleLE(Number(value));
  out.push(varint((field << 3) | FIXED64), bytes);
};

/** A free value; JSON is YAML. */
export const any: Emit = (field, value, out) => {
  if (value !== undefined) writeBytes(field, encodeMessage(encodeAny, value), out);
};

const encodeAny: EncodeMessage = (value, out) => text(2, `${encodeJson(value)}\n`, out);

/** Takes a function, so that messages may refer to each other. */
export function message(encode: () => EncodeMessage): Emit {
  return (field, value, out) => {
    if (value !== undefined) writeBytes(field, encodeMessage(encode(), value), out);
  };
}

export function list(emit: Emit): Emit {
  return (field, value, out) => {
    if (Array.isArray(value)) for (const item of value) emit(field, item, out);
  };
}

export type FieldTable = readonly (readonly [field: number, member: string, emit: Emit])[];

/** An object with known members; members that begin with x- are written as pairs under the last number. */
export function record(fields: FieldTable, extensionField: number): EncodeMessage {
  return (value, out) => {
    if (!isObject(value)) return;
    for (const [field, member, emit] of fields) emit(field, value[member], out);
    writePairs(extensionField, extensionsOf(value), any, out);
  };
}

function extensionsOf(value: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(value).filter(([member]) => member.startsWith("x-")));
}

/** A map: pairs under one number. */
export function pairs(field: number, emit: Emit): EncodeMessage {
  return (value, out) => {
    if (isObject(value)) writePairs(field, value, emit, out);
  };
}

function writePairs(field: number, map: JsonObject, emit: Emit, out: Buffer[]): void {
  for (const [name, value] of Object.entries(map)) {
    const pair: Buffer[] = [];
    text(1, name, pair);
    emit(2, value, pair);
    writeBytes(field, Buffer.concat(pair), out);
  }
}

function writeBytes(field: number, bytes: Buffer, out: Buffer[]): void {
  out.push(varint((field << 3) | LENGTH_DELIMITED), varint(bytes.length), bytes);
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 0x7f; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 0x80);
  bytes.push(rest);
  return Buffer.from(bytes);
}

function bigVarint(value: bigint): Buffer {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 0x7fn; rest >>= 7n) bytes.push(Number(rest & 0x7fn) | 0x80);
  bytes.push(Number(rest));
  return Buffer.from(bytes);
}
