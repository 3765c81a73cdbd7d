// Decodes values that a kube-apiserver has written: the object, or why there is none.

import type { JsonObject } from "../../../../apimachinery/json/json.ts";
import { ProtobufDecodeError } from "../../../../apiserver/endpoints/protobuf/value-types.ts";
import {
  isOpened,
  type OpenedValue,
  openValue,
  type Unopened,
} from "../../../../apiserver/layout/open-value.ts";
import { RANGE_ALLOCATION, readRangeAllocation } from "../../../../apiserver/layout/range-allocation.ts";
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

function objectIn(opened: OpenedValue): StoredValue {
  const { identity, raw, read } = opened;
  // An internal kind of the server: allocated addresses and ports.
  if (raw !== undefined && identity.kind === RANGE_ALLOCATION)
    return { object: { kind: RANGE_ALLOCATION, range: readRangeAllocation(opened).range } };
  const formed = builtInForms.read(opened);
  if (formed !== undefined) return formed;
  if (raw === undefined) return { object: read(identity) };
  const { kind, apiVersion } = identity;
  return { reason: `is a ${kind} of ${apiVersion} in protobuf, of which the members are not known` };
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
