// The places that JSON pointers (RFC 6901) name, and what a JSON patch does at them. Whatever cannot be done throws the
// one answer that a patch gets for it.
import { hasOwn, type JsonObject, setOwn } from "../meta/json.ts";
import { patchDoesNotApply } from "./patch-errors.ts";

export type Container = JsonObject | unknown[];

/** One member of one container; the member need not exist. */
type Place = { readonly object: JsonObject; readonly key: string } | ListPlace;

interface ListPlace {
  readonly list: unknown[];
  readonly key: string;
}

/** Walks a JSON pointer up to its last step. */
export function locate(root: Container, pointer: string | undefined): Place {
  const steps = pointerSteps(pointer);
  const key = steps.pop();
  if (key === undefined) throw patchDoesNotApply();
  let container = root;
  for (const step of steps) {
    const next = valueAt(placeIn(container, step));
    if (typeof next !== "object" || next === null) throw patchDoesNotApply();
    container = next as Container; // an object or a list, as just checked
  }
  return placeIn(container, key);
}

/** The keys and indexes that lead to a place; the text before the first slash is passed over. */
export const pointerSteps = (pointer: string | undefined): string[] =>
  (pointer ?? "").split("/").slice(1).map(unescapeStep);

const unescapeStep = (step: string): string => step.replaceAll("~1", "/").replaceAll("~0", "~");

const placeIn = (container: Container, key: string): Place =>
  Array.isArray(container) ? { list: container, key } : { object: container, key };

export function valueAt(place: Place): unknown {
  if ("object" in place) return hasOwn(place.object, place.key) ? place.object[place.key] : undefined;
  return place.list[indexIn(place, place.list.length - 1)];
}

export function addAt(place: Place, value: unknown = null): void {
  if ("object" in place) setOwn(place.object, place.key, value);
  else if (place.key === "-") place.list.push(value);
  else place.list.splice(indexIn(place, place.list.length), 0, value);
}

export function replaceAt(place: Place, value: unknown = null): void {
  if ("object" in place) setOwn(place.object, place.key, value);
  else place.list[indexIn(place, place.list.length - 1)] = value;
}

export function removeAt(place: Place): void {
  if ("object" in place) {
    if (!hasOwn(place.object, place.key)) throw patchDoesNotApply();
    delete place.object[place.key];
  } else {
    place.list.splice(indexIn(place, place.list.length - 1), 1);
  }
}

/** The index that the key of a list place stands for, at most indexMax; -1 is indexMax. */
function indexIn({ key }: ListPlace, indexMax: number): number {
  if (!/^[+-]?\d+$/.test(key)) throw patchDoesNotApply();
  const written = Number(key);
  const index = written < 0 ? written + indexMax + 1 : written;
  if (index < 0 || index > indexMax) throw patchDoesNotApply();
  return index;
}
