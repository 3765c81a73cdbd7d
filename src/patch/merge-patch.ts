// RFC 7386 over the json-merge-patch library, which changes its target in place, stops at keys that mean something to
// JavaScript and keeps the nulls of objects inside lists. So it gets copies, in which such keys go by another name and
// those nulls are left out, as a real server does it.
import { apply as mergeInPlace } from "json-merge-patch";
import { isObject, type JsonObject, setOwn } from "../meta/json.ts";
import { atOnce, inTurns, type Steps } from "../meta/steps.ts";

/** Keys that the library trips over, and keys that look like the other name of one. */
const AWKWARD_KEY = /^~*(?:__proto__|constructor|prototype|hasOwnProperty)$/;
const STAND_IN = "~";

/** The document with the patch merged in, sharing nothing with either. */
export const applyMergePatch = (document: Readonly<JsonObject>, patch: Readonly<JsonObject>): JsonObject =>
  atOnce(merge(document, patch));

/** The same where much is merged; others are answered between its steps. */
export const applyMergePatchInTurns = (
  document: Readonly<JsonObject>,
  patch: Readonly<JsonObject>,
): Promise<JsonObject> => inTurns(merge(document, patch));

function* merge(document: Readonly<JsonObject>, patch: Readonly<JsonObject>): Steps<JsonObject> {
  const renamed = { any: false };
  const target = copyValue(document, renamed);
  yield;
  const copied = copyValue(patch, renamed, "list items");
  yield;
  const merged = mergeInPlace(target, copied);
  yield;
  return (renamed.any ? restoreKeys(merged) : merged) as JsonObject; // merging two objects makes an object
}

/** Where members that are null are left out of the copy. */
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
