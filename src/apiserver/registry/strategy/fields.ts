// Helpers for members of decoded objects, besides reading them (apimachinery/json/json.ts).
import {
  cloneJson,
  isObject,
  type JsonObject,
  objectAt,
  objectsAt,
  textAt,
} from "../../../apimachinery/json/json.ts";
import type { KubeObject } from "../../../apimachinery/meta/object-meta.ts";
import type { Strategy } from "../definition/resource-definition.ts";

export const specOf = (object: Readonly<JsonObject> | undefined): JsonObject =>
  objectAt(object, "spec") ?? {};

export const nameOf = (object: Readonly<JsonObject>): string => textAt(objectAt(object, "metadata"), "name");

export const isBeingDeleted = (object: Readonly<JsonObject>): boolean =>
  objectAt(object, "metadata")?.["deletionTimestamp"] !== undefined;

export const isTrue = (source: Readonly<JsonObject> | undefined, key: string): boolean =>
  source?.[key] === true;

/** Findings of each object in a list, with its field path. */
export const eachAt = <T>(
  field: string,
  source: Readonly<JsonObject> | undefined,
  member: string,
  find: (place: string, item: JsonObject, index: number) => T[],
): T[] =>
  objectsAt(source, member).flatMap((item, index) =>
    find(`${field === "" ? "" : `${field}.`}${member}[${index}]`, item, index),
  );

/** The object at the key; an empty one is set when there is none. */
export function ensureObject(target: JsonObject, key: string): JsonObject {
  const value = target[key];
  if (isObject(value)) return value;
  const made: JsonObject = {};
  target[key] = made;
  return made;
}

/** Sets a member that is absent, null or "". */
export function setDefault(target: JsonObject, key: string, value: unknown): void {
  const present = target[key];
  if (present === undefined || present === null || present === "") target[key] = value;
}

/** Stores empty lists as null. Runs after field ownership is recorded, which distinguishes the two. */
export function emptyListsToNull(target: JsonObject, members: readonly string[]): void {
  for (const member of members) {
    const value = target[member];
    if (!Array.isArray(value) || value.length === 0) target[member] = null;
  }
}

/** Endpoint that preserves a part of the object: field managers do not own that part through it. */
export const keeping = (part: "spec" | "status") =>
  ({
    allowUnconditionalUpdate: true,
    resetFields: [[part]],
    prepareForUpdate(object: KubeObject, old: Readonly<KubeObject>) {
      object[part] = old[part] ?? {};
    },
  }) satisfies Strategy;

/** Strategy that preserves the status; a new object gets the initial one. */
export const keepingStatus = (initial: JsonObject) =>
  ({
    ...keeping("status"),
    prepareForCreate(object: KubeObject) {
      object["status"] = cloneJson(initial);
    },
  }) satisfies Strategy;

/** Status endpoint: preserves spec and metadata, which field managers do not own through it. */
export const ONLY_STATUS = {
  metadataChecksOnUpdate: [],
  resetFields: [["spec"], ["metadata"]],
  prepareForUpdate(object: KubeObject, old: Readonly<KubeObject>) {
    object["spec"] = old["spec"];
    keepOwnMetadata(object, old, ["deletionTimestamp", "generation"]);
  },
} satisfies Strategy;

/**
 * For kinds whose /status preserves the metadata: restores labels, annotations, finalizers, ownerReferences and the
 * members in `more`.
 */
export function keepOwnMetadata(
  object: KubeObject,
  old: Readonly<KubeObject>,
  more: readonly ("deletionTimestamp" | "generation")[] = [],
): void {
  for (const member of ["labels", "annotations", "finalizers", "ownerReferences", ...more] as const) {
    if (old.metadata[member] === undefined) delete object.metadata[member];
    else Object.assign(object.metadata, { [member]: old.metadata[member] });
  }
}
