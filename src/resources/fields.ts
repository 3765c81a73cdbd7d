// What definitions do with members of decoded objects, beside reading them (meta/json.ts).
import { isObject, type JsonObject } from "../meta/json.ts";
import type { KubeObject } from "../meta/object-meta.ts";

export const isTrue = (source: Readonly<JsonObject> | undefined, key: string): boolean =>
  source?.[key] === true;

/** The object at the key; an empty one is put there when there is none. */
export function ensureObject(target: JsonObject, key: string): JsonObject {
  const value = target[key];
  if (isObject(value)) return value;
  const made: JsonObject = {};
  target[key] = made;
  return made;
}

/** Sets a member that is absent, null or the empty text. */
export function setDefault(target: JsonObject, key: string, value: unknown): void {
  const present = target[key];
  if (present === undefined || present === null || present === "") target[key] = value;
}

/** Lists without items are stored as null. Runs after ownership was recorded, which tells the two apart. */
export function emptyListsToNull(target: JsonObject, members: readonly string[]): void {
  for (const member of members) {
    const value = target[member];
    if (!Array.isArray(value) || value.length === 0) target[member] = null;
  }
}

/** What belongs to the object and not to its state. */
const OWN_METADATA = ["labels", "annotations", "finalizers", "ownerReferences"] as const;

/** For kinds whose /status leaves the metadata alone. */
export function keepOwnMetadata(object: KubeObject, old: Readonly<KubeObject>): void {
  for (const member of OWN_METADATA) {
    if (old.metadata[member] === undefined) delete object.metadata[member];
    else Object.assign(object.metadata, { [member]: old.metadata[member] });
  }
}
