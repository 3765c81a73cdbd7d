// What a write leaves behind: the stored value, or, for a dry run, an object that no store has seen.
import type { KubeObject } from "../../meta/object-meta.ts";
import type { KeyValue } from "../../storage/store.ts";
import { decodeStored } from "../codec/object-codec.ts";

export type ObjectResult =
  | { readonly type: "stored"; readonly kv: KeyValue }
  | { readonly type: "bare"; readonly object: Readonly<KubeObject> };

/** The object in the form in which it is stored. */
export function objectOf(result: ObjectResult): Readonly<KubeObject> {
  return result.type === "stored" ? decodeStored(result.kv) : result.object;
}
