// The values that a kube-apiserver has written: which form they have, and the object that is in them.
import { decodeMessage, openEnvelope } from "../../apiserver/protobuf/codec.ts";
import {
  DELIMITED,
  decoding,
  newReader,
  ProtobufDecodeError,
  type Reader,
  readFields,
  STRING,
} from "../../apiserver/protobuf/value-types.ts";
import { isObject, type JsonObject, textAt, textOf } from "../../meta/json.ts";
import { decodeJson, JsonSyntaxError } from "../../meta/json-decode.ts";
import { LEVELS_MAX } from "../../meta/levels.ts";
import { currentForm } from "../current-form.ts";

const PROTOBUF = Buffer.from("k8s\0");
const ENCRYPTED = /^k8s:enc:([a-z0-9]+):/;
const CBOR = Buffer.from("d9d9f7", "hex");

/** The object without the revision, or why there is none. */
export type StoredValue = { readonly object: JsonObject } | { readonly reason: string };

export function objectInValue(value: Buffer): StoredValue {
  try {
    if (value.subarray(0, 4).equals(PROTOBUF)) return inProtobuf(value);
    if (value[0] === 0x7b) return inJson(value);
  } catch (error) {
    if (error instanceof ProtobufDecodeError || error instanceof JsonSyntaxError)
      return { reason: `cannot be read: ${error.message}` };
    throw error;
  }
  const [, provider] = ENCRYPTED.exec(value.toString("latin1", 0, 40)) ?? [];
  if (provider !== undefined)
    return { reason: `is encrypted (${provider}), and nobody but its API server has the key` };
  if (value.subarray(0, 3).equals(CBOR)) return { reason: "is written as CBOR, which cannot be read here" };
  return { reason: "is no object of Kubernetes" };
}

/** A kind that a server keeps for itself: which addresses and ports are taken. */
const RANGES = "RangeAllocation";

function inProtobuf(value: Buffer): StoredValue {
  const { identity, raw } = openEnvelope(value, { apiVersion: "", kind: "" });
  if (identity.kind === RANGES) return { object: rangesIn(raw) };
  const { kind, apiVersion } = identity;
  return (
    currentForm(identity, (type) => decodeMessage(type, raw)) ?? {
      reason: `is a ${kind} of ${apiVersion} in protobuf, of which the members are not known`,
    }
  );
}

/** { 2: the range } */
function rangesIn(raw: Uint8Array): JsonObject {
  const passed = { wireType: DELIMITED, read: (reader: Reader) => void reader.skipType(DELIMITED) } as const;
  const [, ranges] = decoding(undefined, () => readFields(newReader(raw), [passed, STRING]));
  return { kind: RANGES, range: textOf(ranges?.at(-1)) };
}

function inJson(value: Buffer): StoredValue {
  const { value: object } = decodeJson(value, { depthMax: LEVELS_MAX });
  if (!isObject(object) || textAt(object, "kind") === "") return { reason: "is no object of Kubernetes" };
  const identity = { apiVersion: textAt(object, "apiVersion"), kind: textAt(object, "kind") };
  return currentForm(identity, () => object) ?? { object };
}
