// Parts from which the protobuf form of OpenAPI documents is put together. That form (gnostic) has a message for
// every object of the specification, pairs of name and value in place of maps, and YAML text for free values.
import { pauseForOthers } from "../../../meta/clock.ts";
import { isObject, type JsonObject } from "../../../meta/json.ts";
import { encodeJson } from "../../../meta/json-encode.ts";
import { MessageWriter } from "./message-writer.ts";

/** Writes one value under a field number, or nothing where the value is the type's default. */
export type Emit = (field: number, value: unknown, out: MessageWriter) => void;

/** Writes the fields of one message. */
export type EncodeMessage = (value: unknown, out: MessageWriter) => void;

export const text: Emit = (field, value, out) => {
  if (typeof value === "string" && value !== "") out.text(field, value);
};

export const flag: Emit = (field, value, out) => {
  if (value === true) out.flag(field);
};

export const integer: Emit = (field, value, out) => {
  if (typeof value !== "number" && typeof value !== "bigint") return;
  const whole = typeof value === "bigint" ? value : BigInt(Math.trunc(value));
  if (whole !== 0n) out.integer(field, BigInt.asUintN(64, whole));
};

export const double: Emit = (field, value, out) => {
  if ((typeof value !== "number" && typeof value !== "bigint") || Number(value) === 0) return;
  out.double(field, Number(value));
};

/** A free value; JSON is YAML. */
export const any: Emit = (field, value, out) => {
  if (value === undefined) return;
  const begun = out.begin(field);
  out.text(2, `${encodeJson(value)}\n`);
  out.end(begun);
};

/** Takes a function, so that messages may refer to each other. */
export function message(encode: () => EncodeMessage): Emit {
  return (field, value, out) => {
    if (value === undefined) return;
    const begun = out.begin(field);
    encode()(value, out);
    out.end(begun);
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
    for (const member of Object.keys(value)) {
      if (member.startsWith("x-")) writePair(extensionField, member, value[member], any, out);
    }
  };
}

/** A map: pairs under one number. */
export function pairs(field: number, emit: Emit): EncodeMessage {
  return (value, out) => {
    if (isObject(value)) writePairs(field, value, emit, out);
  };
}

function writePairs(field: number, map: JsonObject, emit: Emit, out: MessageWriter): void {
  for (const name of Object.keys(map)) writePair(field, name, map[name], emit, out);
}

function writePair(field: number, name: string, value: unknown, emit: Emit, out: MessageWriter): void {
  const begun = out.begin(field);
  text(1, name, out);
  emit(2, value, out);
  out.end(begun);
}

/** As Emit and EncodeMessage, for what is large: others have their turn meanwhile. */
export type EmitInTurns = (field: number, value: unknown, out: MessageWriter) => Promise<void> | void;
export type EncodeInTurns = (value: unknown, out: MessageWriter) => Promise<void>;

export async function encodeMessage(encode: EncodeInTurns, value: unknown): Promise<Buffer> {
  const out = new MessageWriter();
  await encode(value, out);
  return out.finish();
}

/** A record without members of its own beginning with x-. */
export function recordInTurns(
  fields: readonly (readonly [field: number, member: string, emit: EmitInTurns])[],
): EncodeInTurns {
  return async (value, out) => {
    if (!isObject(value)) return;
    for (const [field, member, emit] of fields) await emit(field, value[member], out);
  };
}

export function messageInTurns(encode: EncodeInTurns): EmitInTurns {
  return async (field, value, out) => {
    if (value === undefined) return;
    const begun = out.begin(field);
    await encode(value, out);
    out.end(begun);
  };
}

export function pairsInTurns(field: number, emit: Emit): EncodeInTurns {
  return async (value, out) => {
    if (!isObject(value)) return;
    for (const name of Object.keys(value)) {
      const pause = pauseForOthers();
      if (pause !== undefined) await pause;
      writePair(field, name, value[name], emit, out);
    }
  };
}
