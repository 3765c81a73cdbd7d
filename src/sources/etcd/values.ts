// The values that a kube-apiserver has written: the object that is in them, or why there is none.
import { isOpened, type OpenedValue, openValue, type Unopened } from "../../apiserver/layout/open-value.ts";
import {
  DELIMITED,
  decoding,
  newReader,
  ProtobufDecodeError,
  type Reader,
  readFields,
  STRING,
} from "../../apiserver/protobuf/value-types.ts";
import { type JsonObject, textOf } from "../../meta/json.ts";
import { builtInForms } from "../built-in-forms.ts";

/** The object without the revision, or why there is none. */
export type StoredValue = { readonly object: JsonObject } | { readonly reason: string };

export function objectInValue(value: Buffer): StoredValue {
  const opened = openValue(value);
  if (!isOpened(opened)) return { reason: reasonOf(opened) };
  try {
    return objectIn(opened);
  } catch (error) {
    if (error instanceof ProtobufDecodeError) return { reason: unreadable(error.message) };
    throw error;
  }
}

/** A kind that a server keeps for itself: which addresses and ports are taken. */
const RANGES = "RangeAllocation";

function objectIn(opened: OpenedValue): StoredValue {
  const { identity, raw, read } = opened;
  if (raw !== undefined && identity.kind === RANGES) return { object: rangesIn(raw) };
  const formed = builtInForms.read(opened);
  if (formed !== undefined) return formed;
  if (raw === undefined) return { object: read(identity) };
  const { kind, apiVersion } = identity;
  return { reason: `is a ${kind} of ${apiVersion} in protobuf, of which the members are not known` };
}

/** { 2: the range } */
function rangesIn(raw: Uint8Array): JsonObject {
  const passed = { wireType: DELIMITED, read: (reader: Reader) => void reader.skipType(DELIMITED) } as const;
  const [, ranges] = decoding(undefined, () => readFields(newReader(raw), [passed, STRING]));
  return { kind: RANGES, range: textOf(ranges?.at(-1)) };
}

const unreadable = (why: string): string => `cannot be read: ${why}`;

function reasonOf(opened: Unopened): string {
  switch (opened.form) {
    case "encrypted":
      return `is encrypted (${opened.provider}), and nobody but its API server has the key`;
    case "cbor":
      return "is written as CBOR, which cannot be read here";
    case "unreadable":
      return unreadable(opened.why);
    case "unknown":
      return "is no object of Kubernetes";
  }
}
