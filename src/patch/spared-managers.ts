// managedFields are half of many an object, and no usual patch says anything of them: then the patch is given the object
// without them, and they are put back as they were.
import { isObject, type JsonObject } from "../meta/json.ts";
import type { KubeObject, ManagedFieldsEntry } from "../meta/object-meta.ts";
import type { JsonPatchOperation } from "./json-patch.ts";

/** Whether a merge patch or a strategic one may say something of managedFields, were it by a directive around them. */
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

/** To them, into them, or to what they are in. */
function pointsToManagers(pointer: string | undefined): boolean {
  const [, first, second] = (pointer ?? "").split("/", 3);
  if (first === undefined) return true;
  if (!/^metadata$|~/i.test(first)) return false;
  return second === undefined || second.includes("~") || isManagers(second);
}

/** The object, and its managedFields, which are not in it. */
export function withoutManagers(object: Readonly<KubeObject>): {
  readonly rest: Readonly<KubeObject>;
  readonly managers: ManagedFieldsEntry[] | undefined;
} {
  const { managedFields: managers, ...metadata } = object.metadata;
  return managers === undefined ? { rest: object, managers } : { rest: { ...object, metadata }, managers };
}
