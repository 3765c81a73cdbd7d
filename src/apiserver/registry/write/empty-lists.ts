// Empty lists in requests. A Go server distinguishes them from absent lists until the object is stored; decoded from the
// store they are null. Admission therefore sees `[]`, and the client gets the stored null.
import { type JsonObject, objectAt } from "../../../apimachinery/json/json.ts";
import type { KubeObject } from "../../../apimachinery/meta/object-meta.ts";
import type { Strategy } from "../definition/resource-definition.ts";

type Path = readonly string[];

/** Sets the empty lists of a kind to null, as they are stored. Returns the paths of the empty ones. */
export function nullEmptyLists({ emptyListsStoredAsNull }: Strategy, object: KubeObject): Path[] {
  const given: Path[] = [];
  for (const path of emptyListsStoredAsNull ?? []) {
    const [owner, member] = placeOf(object, path);
    const value = owner?.[member];
    if (owner === undefined || (Array.isArray(value) && value.length > 0)) continue;
    if (Array.isArray(value)) given.push(path);
    owner[member] = null;
  }
  return given;
}

/** Puts empty lists back in place of null. */
export function showEmptyLists(object: KubeObject, given: readonly Path[]): void {
  for (const path of given) {
    const [owner, member] = placeOf(object, path);
    if (owner !== undefined) owner[member] = [];
  }
}

function placeOf(object: KubeObject, path: Path): [owner: JsonObject | undefined, member: string] {
  let owner: JsonObject | undefined = object;
  for (const part of path.slice(0, -1)) owner = objectAt(owner, part);
  return [owner, path.at(-1) ?? ""];
}
