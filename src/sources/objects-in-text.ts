// A text of objects in any of the forms in which people have them: YAML documents, JSON, JSON values one after the other,
// Lists of all kinds, arrays, events of a watch.
import { isObject, type JsonObject, textAt } from "../meta/json.ts";
import { decodeJson } from "../meta/json-decode.ts";
import { LEVELS_MAX } from "../meta/levels.ts";
import type { KubeObject } from "../meta/object-meta.ts";
import { decodeDocuments, isUnreadable, strictValue } from "../yaml/decode-yaml.ts";
import { type SourceItem, skipped } from "./source.ts";
import { valuesInJson } from "./values-in-json.ts";

/** What cannot be read any more ends the text with an item that says so. */
export function* objectsInText(text: string, origin: string): Generator<SourceItem, void, undefined> {
  try {
    for (const value of valuesIn(text)) yield* objectsIn(value, origin);
  } catch (error) {
    if (!isUnreadable(error)) throw error;
    yield skipped(origin, error.message);
  }
}

function* valuesIn(text: string): Generator<unknown, void, undefined> {
  if (!/^\s*[{[]/.test(text)) return yield* valuesInYaml(text);
  const whole = parsed(text);
  if (whole !== undefined) return yield whole;
  let isFirst = true;
  for (const part of valuesInJson(text)) {
    // What is no JSON from the first may be YAML in the notation that looks like it.
    const value = isFirst ? parsedWithCare(part) : decodeJson(part, { depthMax: LEVELS_MAX }).value;
    if (value === undefined) return yield* valuesInYaml(text);
    isFirst = false;
    yield value;
  }
}

/** undefined: it is no JSON. */
function parsedWithCare(text: string): unknown {
  try {
    return decodeJson(text, { depthMax: LEVELS_MAX }).value;
  } catch (error) {
    if (isUnreadable(error)) return undefined;
    throw error;
  }
}

/** Digits of integers that a double would lose. */
const LONG_NUMBER = /[:[,]\s*-?\d{16}/;

/** undefined: it is not one value, or is better read with care. */
function parsed(text: string): unknown {
  if (LONG_NUMBER.test(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Where outputs were put one behind the other, each begins with its first key. */
const NEXT_OUTPUT = /^(?=apiVersion:)/m;

function* valuesInYaml(text: string): Generator<unknown, void, undefined> {
  for (const document of decodeDocuments(text)) {
    if (!document.duplicates.some((finding) => finding.includes('"apiVersion"'))) yield strictValue(document);
    else
      return yield* text
        .split(NEXT_OUTPUT)
        .flatMap((output) => [...decodeDocuments(output)].map(strictValue));
  }
}

/** Nothing but comments is no document. */
function* objectsIn(value: unknown, origin: string): Generator<SourceItem, void, undefined> {
  if (value === null || value === undefined) return;
  if (Array.isArray(value)) {
    for (const item of value) yield* objectsIn(item, origin);
    return;
  }
  if (!isObject(value)) return yield skipped(origin, "is no object");
  const watched = eventIn(value);
  if (watched !== undefined) return yield* watched === "gone" ? [] : objectsIn(watched, origin);
  if (!Array.isArray(value["items"])) return yield itemOf(value, origin);
  const own = { apiVersion: textAt(value, "apiVersion"), kind: textAt(value, "kind").replace(/List$/, "") };
  for (const item of value["items"])
    yield isObject(item) ? itemOf(named(item, own), origin) : skipped(origin, "is no object");
}

/** Items of lists in Go's types do without what their list says. */
const named = (item: JsonObject, { apiVersion, kind }: { apiVersion: string; kind: string }): JsonObject =>
  item["kind"] === undefined && kind !== "" ? { apiVersion, kind, ...item } : item;

/** The object of an event of a watch; "gone" where it tells of none that is there. */
function eventIn(value: JsonObject): JsonObject | "gone" | undefined {
  const { type, object } = value;
  if (typeof type !== "string" || !isObject(object) || value["kind"] !== undefined) return undefined;
  return type === "ADDED" || type === "MODIFIED" ? object : "gone";
}

function itemOf(value: JsonObject, origin: string): SourceItem {
  const { metadata } = value;
  const kind = textAt(value, "kind");
  if (kind === "" || textAt(value, "apiVersion") === "") return skipped(origin, "names no kind");
  if (!isObject(metadata) || textAt(metadata, "name") === "")
    return skipped(origin, `is a ${kind} without a name`);
  return { type: "object", object: value as KubeObject, origin }; // it has what makes one
}
