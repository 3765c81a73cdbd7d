// What a write leaves behind: the stored value, or, for a dry run, an object that no store has seen.
import { encodeJson } from "../meta/json-encode.ts";
import type { KubeObject } from "../meta/object-meta.ts";
import type { KeyValue } from "../storage/store.ts";
import { decodeStored, toJson } from "./object-codec.ts";

export type ObjectResult =
  | { readonly type: "stored"; readonly kv: KeyValue }
  | { readonly type: "bare"; readonly object: Readonly<KubeObject> };

export function objectOf(result: ObjectResult): Readonly<KubeObject> {
  return result.type === "stored" ? decodeStored(result.kv) : result.object;
}

/** JSON of the object in the version in which it was written. */
export function jsonOf(result: ObjectResult): Buffer {
  return result.type === "stored" ? toJson(result.kv) : Buffer.from(encodeJson(result.object));
}
