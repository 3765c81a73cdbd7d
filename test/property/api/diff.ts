// Patches computed from two values, which transform the first into the second.
import { equalJson, isObject, type JsonObject } from "../../../src/apimachinery/json/json.ts";
import { encodeJson } from "../../../src/apimachinery/json/json-encode.ts";

/** A merge patch (RFC 7386). It cannot make a member null: see `isMergeable`. */
export function mergePatchBetween(from: JsonObject, to: JsonObject): JsonObject {
  const patch: JsonObject = {};
  for (const name of Object.keys(from)) if (to[name] === undefined) patch[name] = null;
  for (const [name, value] of Object.entries(to)) {
    const old = from[name];
    if (equalJson(old, value)) continue;
    patch[name] = isObject(old) && isObject(value) ? mergePatchBetween(old, value) : value;
  }
  return patch;
}

/** Reports whether a merge patch can produce the value: no member of an object is null. */
export function isMergeable(value: unknown): boolean {
  if (Array.isArray(value)) return value.every(isMergeable);
  return !isObject(value) || Object.values(value).every((item) => item !== null && isMergeable(item));
}

/** Returns the value with the items of each list in a fixed order. */
export function inAnyOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => encodeJson(inAnyOrder(item))).sort();
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, inAnyOrder(item)]));
}

export interface JsonPatchOperation {
  readonly op: "add" | "remove" | "replace" | "test";
  readonly path: string;
  readonly value?: unknown;
}

/** A JSON patch (RFC 6902) that tests what it replaces. */
export function jsonPatchBetween(from: unknown, to: unknown, path: string): JsonPatchOperation[] {
  if (equalJson(from, to)) return [];
  if (isObject(from) && isObject(to)) return betweenObjects(from, to, path);
  if (Array.isArray(from) && Array.isArray(to)) return betweenLists(from, to, path);
  return [
    { op: "test", path, value: from },
    { op: "replace", path, value: to },
  ];
}

function betweenObjects(from: JsonObject, to: JsonObject, path: string): JsonPatchOperation[] {
  const names = [...new Set([...Object.keys(from), ...Object.keys(to)])];
  return names.flatMap((name): JsonPatchOperation[] => {
    const place = `${path}/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`;
    if (!Object.hasOwn(to, name)) return [{ op: "remove", path: place }];
    if (!Object.hasOwn(from, name)) return [{ op: "add", path: place, value: to[name] }];
    return jsonPatchBetween(from[name], to[name], place);
  });
}

/** Changes items in place, removes surplus ones from the end, appends missing ones. */
function betweenLists(from: readonly unknown[], to: readonly unknown[], path: string): JsonPatchOperation[] {
  const common = Math.min(from.length, to.length);
  const operations: JsonPatchOperation[] = [];
  for (let index = 0; index < common; index++) {
    operations.push(...jsonPatchBetween(from[index], to[index], `${path}/${index}`));
  }
  for (let index = from.length - 1; index >= common; index--) {
    operations.push({ op: "remove", path: `${path}/${index}` });
  }
  for (const value of to.slice(common)) operations.push({ op: "add", path: `${path}/-`, value });
  return operations;
}
