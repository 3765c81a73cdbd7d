// What definitions do with members of decoded objects, beside reading them (meta/json.ts).
import { cloneJson, isObject, type JsonObject, objectAt, objectsAt, textAt } from "../meta/json.ts";
import type { KubeObject } from "../meta/object-meta.ts";
import type { Strategy } from "../registry/definition/resource-definition.ts";

export const specOf = (object: Readonly<JsonObject> | undefined): JsonObject =>
  objectAt(object, "spec") ?? {};

export const nameOf = (object: Readonly<JsonObject>): string => textAt(objectAt(object, "metadata"), "name");

export const isBeingDeleted = (object: Readonly<JsonObject>): boolean =>
  objectAt(object, "metadata")?.["deletionTimestamp"] !== undefined;

export const isTrue = (source: Readonly<JsonObject> | undefined, key: string): boolean =>
  source?.[key] === true;

/** What is found in each object of a list, at its place. */
export const eachAt = <T>(
  field: string,
  source: Readonly<JsonObject> | undefined,
  member: string,
  find: (place: string, item: JsonObject, index: number) => T[],
): T[] =>
  objectsAt(source, member).flatMap((item, index) =>
    find(`${field === "" ? "" : `${field}.`}${member}[${index}]`, item, index),
  );

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

/** An endpoint that leaves a part of the object as it was: who writes there does not own it. */
export const keeping = (part: "spec" | "status") =>
  ({
    allowUnconditionalUpdate: true,
    resetFields: [[part]],
    prepareForUpdate(object: KubeObject, old: Readonly<KubeObject>) {
      object[part] = old[part] ?? {};
    },
  }) satisfies Strategy;

/** Controllers keep the status; a new object has the given one. */
export const keepingStatus = (initial: JsonObject) =>
  ({
    ...keeping("status"),
    prepareForCreate(object: KubeObject) {
      object["status"] = cloneJson(initial);
    },
  }) satisfies Strategy;

/** An endpoint for the status alone: what belongs to the object stays, and who writes there owns none of it. */
export const ONLY_STATUS = {
  metadataChecksOnUpdate: [],
  resetFields: [["spec"], ["metadata"]],
  prepareForUpdate(object: KubeObject, old: Readonly<KubeObject>) {
    object["spec"] = old["spec"];
    keepOwnMetadata(object, old, ["deletionTimestamp", "generation"]);
  },
} satisfies Strategy;

/** For kinds whose /status leaves the metadata alone: what belongs to the object and not to its state. */
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
