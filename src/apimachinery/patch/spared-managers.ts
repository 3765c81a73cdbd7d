// managedFields can be half of an object, and few patches address them. A patch that does not is applied to the object
// without them, and they are restored unchanged.
import { isObject, type JsonObject } from "../json/json.ts";
import type { KubeObject, ManagedFieldsEntry } from "../meta/object-meta.ts";
import type { JsonPatchOperation } from "./json-patch.ts";

/** Reports whether a merge patch or strategic merge patch may address managedFields, be it by a directive of a parent. */
export function mergeMeansManagers(patch: Readonly<JsonObject>): boolean {
  return Object.keys(patch).some((key) => {
    if (key.toLowerCase() !== "metadata") return isDirective(key);
    const metadata = patch[key];
    return !isObject(metadata) || Object.keys(metadata).some((name) => isDirective(name) || isManagers(name));
  });
}

const isDirective = (key: string): boolean => key.startsWith("$");
const isManagers = (key: string): boolean => key.toLowerCase() === "managedfields";

export const operationsMeanManagers = (operations: readonly JsonPatchOperation[]): boolean =>
  operations.some(
    ({ path, from }) => pointsToManagers(path) || (from !== undefined && pointsToManagers(from)),
  );

/** The pointer addresses managedFields, a child, or a parent. */
function pointsToManagers(pointer: string | undefined): boolean {
  const [, first, second] = (pointer ?? "").split("/", 3);
  if (first === undefined) return true;
  if (!/^metadata$|~/i.test(first)) return false;
  return second === undefined || second.includes("~") || isManagers(second);
}

/** The object without managedFields, and the managedFields. */
export function withoutManagers(object: Readonly<KubeObject>): {
  readonly rest: Readonly<KubeObject>;
  readonly managers: ManagedFieldsEntry[] | undefined;
} {
  const { managedFields: managers, ...metadata } = object.metadata;
  return managers === undefined ? { rest: object, managers } : { rest: { ...object, metadata }, managers };
}
