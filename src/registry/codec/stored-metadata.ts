// What ownership is decided by, read from a stored value without decoding all of it: whoever follows every object of the
// server would otherwise decode, and keep, every object of the server.
import type { ObjectMeta } from "../../meta/object-meta.ts";
import type { KeyValue } from "../../storage/store.ts";
import { peekStored, uidOf } from "./object-codec.ts";

/** An object with one of them has more to tell than its name. */
const TELLING = ['"deletionTimestamp":', '"finalizers":', '"ownerReferences":'].map((text) =>
  Buffer.from(text),
);

/**
 * Name, namespace, uid, resourceVersion, deletionTimestamp, finalizers and ownerReferences of a stored object; no other
 * member of its metadata.
 */
export function ownershipOf(kv: KeyValue, namespaced: boolean): ObjectMeta {
  const { buffer, byteOffset, length } = kv.value;
  const bytes = Buffer.from(buffer, byteOffset, length);
  const uid = uidOf(kv);
  if (uid !== undefined && !TELLING.some((member) => bytes.includes(member))) {
    return { ...nameOf(kv.key, namespaced), uid, resourceVersion: String(kv.modRevision) };
  }
  const { metadata } = peekStored(kv);
  const kept: ObjectMeta = {};
  if (metadata.name !== undefined) kept.name = metadata.name;
  if (metadata.namespace !== undefined) kept.namespace = metadata.namespace;
  if (metadata.uid !== undefined) kept.uid = metadata.uid;
  if (metadata.resourceVersion !== undefined) kept.resourceVersion = metadata.resourceVersion;
  if (metadata.deletionTimestamp !== undefined) kept.deletionTimestamp = metadata.deletionTimestamp;
  if (metadata.finalizers !== undefined) kept.finalizers = metadata.finalizers;
  if (metadata.ownerReferences !== undefined) kept.ownerReferences = metadata.ownerReferences;
  return kept;
}

/** The last parts of a key are the namespace, if there is one, and the name. */
function nameOf(key: string, namespaced: boolean): { name: string; namespace?: string } {
  const cut = key.lastIndexOf("/");
  const name = key.slice(cut + 1);
  if (!namespaced) return { name };
  return { name, namespace: key.slice(key.lastIndexOf("/", cut - 1) + 1, cut) };
}
