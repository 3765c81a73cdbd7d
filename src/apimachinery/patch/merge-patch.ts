// Merge patch (RFC 7386) by the json-merge-patch library. The library changes its target in place, skips keys that are
// special in JavaScript, and keeps nulls of objects inside lists. It therefore gets copies in which such keys are renamed
// and those nulls are left out, as upstream.
import { apply as mergeInPlace } from "json-merge-patch";
import { isObject, type JsonObject, setOwn } from "../json/json.ts";
import { type Coroutine, runSync, runYielding } from "../scheduling/coroutine.ts";

/** Keys that the library skips, and keys that look like a renamed one. */
const AWKWARD_KEY = /^~*(?:__proto__|constructor|prototype|hasOwnProperty)$/;
const STAND_IN = "~";

/** The document with the patch merged in; the result is a copy. */
export const applyMergePatch = (document: Readonly<JsonObject>, patch: Readonly<JsonObject>): JsonObject =>
  runSync(merge(document, patch));

/** The same for large documents, with yielding. */
export const applyMergePatchInTurns = (
  document: Readonly<JsonObject>,
  patch: Readonly<JsonObject>,
): Promise<JsonObject> => runYielding(merge(document, patch));

function* merge(document: Readonly<JsonObject>, patch: Readonly<JsonObject>): Coroutine<JsonObject> {
  const renamed = { any: false };
  const target = copyValue(document, renamed);
  yield;
  const copied = copyValue(patch, renamed, "list items");
  yield;
  const merged = mergeInPlace(target, copied);
  yield;
  return (renamed.any ? restoreKeys(merged) : merged) as JsonObject; // merging two objects makes an object
}

/** Where null members are left out of the copy. */
type DropNulls = "nowhere" | "list items" | "everywhere";

function copyValue(value: unknown, renamed: { any: boolean }, drop: DropNulls = "nowhere"): unknown {
  if (Array.isArray(value)) {
    const below = drop === "nowhere" ? "nowhere" : "everywhere";
    return value.map((item) => copyValue(item, renamed, below));
  }
  if (!isObject(value)) return value;
  const out: JsonObject = {};
  for (const key of Object.keys(value)) {
    const item = value[key];
    if (item === undefined || (item === null && drop === "everywhere")) continue;
    const awkward = AWKWARD_KEY.test(key);
    if (awkward) renamed.any = true;
    out[awkward ? STAND_IN + key : key] = copyValue(item, renamed, drop);
  }
  return out;
}

function restoreKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(restoreKeys);
  if (!isObject(value)) return value;
  const out: JsonObject = {};
  for (const key of Object.keys(value)) {
    setOwn(out, AWKWARD_KEY.test(key) ? key.slice(STAND_IN.length) : key, restoreKeys(value[key]));
  }
  return out;
}
