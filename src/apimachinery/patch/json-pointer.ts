// JSON pointers (RFC 6901), and the operations of a JSON patch on the values that they address. Errors have the texts of
// gopkg.in/evanphx/json-patch.v4.
import { goQuote } from "../go/strconv.ts";
import { hasOwn, type JsonObject, setOwn } from "../json/json.ts";

export type Container = JsonObject | unknown[];

/** One member of one container; the member need not exist. */
type Place = { readonly object: JsonObject; readonly key: string } | ListPlace;

interface ListPlace {
  readonly list: unknown[];
  readonly key: string;
}

/** The operation is not possible at the pointer. */
export class PlaceError extends Error {}

/** Resolves a JSON pointer up to its last token; undefined: the container of the last token does not exist. */
export function locate(root: Container, pointer: string): Place | undefined {
  const steps = pointerSteps(pointer);
  const key = steps.pop();
  if (key === undefined) return undefined;
  let container = root;
  for (const step of steps) {
    const next = valueIfAny(placeIn(container, step));
    if (typeof next !== "object" || next === null) return undefined;
    container = next as Container; // an object or a list, as just checked
  }
  return placeIn(container, key);
}

/** Tokens of a JSON pointer; text before the first slash is ignored. */
export const pointerSteps = (pointer: string | undefined): string[] =>
  (pointer ?? "").split("/").slice(1).map(unescapeStep);

const unescapeStep = (step: string): string => step.replaceAll("~1", "/").replaceAll("~0", "~");

const placeIn = (container: Container, key: string): Place =>
  Array.isArray(container) ? { list: container, key } : { object: container, key };

/** undefined for an absent member. Throws a PlaceError for an item of a list. */
export function valueAt(place: Place): unknown {
  if ("object" in place) return hasOwn(place.object, place.key) ? place.object[place.key] : undefined;
  return place.list[indexIn(place, place.list.length - 1)];
}

function valueIfAny(place: Place): unknown {
  try {
    return valueAt(place);
  } catch (error) {
    if (error instanceof PlaceError) return undefined;
    throw error;
  }
}

export function addAt(place: Place, value: unknown = null): void {
  if ("object" in place) setOwn(place.object, place.key, value);
  else if (place.key === "-") place.list.push(value);
  else place.list.splice(placeToAdd(place), 0, value);
}

export function replaceAt(place: Place, value: unknown = null): void {
  if ("object" in place) setOwn(place.object, place.key, value);
  else place.list[indexIn(place, place.list.length - 1)] = value;
}

export function removeAt(place: Place): void {
  if ("object" in place) {
    if (!hasOwn(place.object, place.key))
      throw new PlaceError(`Unable to remove nonexistent key: ${place.key}: missing value`);
    delete place.object[place.key];
  } else {
    place.list.splice(indexIn(place, place.list.length - 1), 1);
  }
}

function placeToAdd(place: ListPlace): number {
  const why = indexProblem(place.key);
  if (why !== undefined) throw new PlaceError(`value was not a proper array index: '${place.key}': ${why}`);
  return indexIn(place, place.list.length);
}

/** Index of a list token, at most indexMax; -1 is indexMax. */
function indexIn({ key }: ListPlace, indexMax: number): number {
  const why = indexProblem(key);
  if (why !== undefined) throw new PlaceError(why);
  const written = Number(key);
  const index = written < 0 ? written + indexMax + 1 : written;
  if (index >= 0 && index <= indexMax) return index;
  throw new PlaceError(`Unable to access invalid index: ${written}: invalid index referenced`);
}

const INT64_MAX = 2n ** 63n - 1n;

/** Go's error for a text that is no int; undefined: it is one. */
function indexProblem(key: string): string | undefined {
  if (!/^[+-]?\d+$/.test(key)) return `strconv.Atoi: parsing ${goQuote(key)}: invalid syntax`;
  const value = BigInt(key.replace(/^\+/, ""));
  const isInRange = value <= INT64_MAX && value >= -INT64_MAX - 1n;
  return isInRange ? undefined : `strconv.Atoi: parsing ${goQuote(key)}: value out of range`;
}
