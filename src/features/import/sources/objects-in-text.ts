// Objects in a text of any common format: YAML documents, JSON, concatenated JSON values, Lists of all kinds, arrays,
// watch events, output of `kubectl cluster-info dump`, discovery responses.
import { isObject, type JsonObject, objectAt, textAt } from "../../../apimachinery/json/json.ts";
import type { KubeObject } from "../../../apimachinery/meta/object-meta.ts";
import { isUnreadable } from "../../../apimachinery/yaml/decode-yaml.ts";
import { kindsInDiscovery } from "./discovery.ts";
import type { Entry } from "./forms/entry.ts";
import { type Place, type SourceItem, skipped } from "./source.ts";
import { valuesInText } from "./text/values-in-text.ts";

/** A syntax error ends the text with a skipped item. */
export function* objectsInText(
  text: string,
  origin: string,
  entry: Entry = {},
): Generator<SourceItem, void, undefined> {
  if (text.trim() === "") return yield skipped(origin, "is empty");
  try {
    for (const value of valuesInText(text)) yield* objectsIn(value, origin, entry);
  } catch (error) {
    if (!isUnreadable(error)) throw error;
    yield skipped(origin, error.message);
  }
}

/** A document with only comments is ignored. */
function* objectsIn(value: unknown, origin: string, entry: Entry): Generator<SourceItem, void, undefined> {
  if (value === null || value === undefined) return;
  const kinds = kindsInDiscovery(value);
  if (kinds !== undefined) {
    if (kinds.length > 0) yield { type: "kinds", kinds, origin };
    return;
  }
  if (Array.isArray(value)) {
    for (const item of value) yield* objectsIn(item, origin, entry);
    return;
  }
  if (!isObject(value)) return yield skipped(origin, "is no object");
  const version = textAt(objectAt(value, "info"), "gitVersion");
  if (version !== "" && textAt(value, "kind") === "")
    return yield { type: "notes", notes: { kubernetesVersion: version }, origin };
  const watched = eventIn(value);
  if (watched !== undefined) return yield* watched === "gone" ? [] : objectsIn(watched, origin, entry);
  if (Array.isArray(value["items"]) || isEmptyList(value)) yield* itemsOf(value, origin, entry);
  else yield itemOf(named(value, entry.place), origin, entry);
}

/** Go writes null for a list without items. */
const isEmptyList = (value: JsonObject): boolean =>
  value["items"] === null && textAt(value, "kind").endsWith("List");

function* itemsOf(list: JsonObject, origin: string, entry: Entry): Generator<SourceItem, void, undefined> {
  const kind = textAt(list, "kind").replace(/List$/, "");
  const own: Place = kind === "" ? (entry.place ?? {}) : { apiVersion: textAt(list, "apiVersion"), kind };
  for (const item of Array.isArray(list["items"]) ? list["items"] : [])
    yield isObject(item) ? itemOf(named(item, own), origin, entry) : skipped(origin, "is no object");
}

/** Items of serialized Go lists have no kind and apiVersion: those of the list apply, which may lack them as well. */
const named = (item: JsonObject, { apiVersion = "", kind = "" }: Place = {}): JsonObject =>
  item["kind"] === undefined && kind !== "" ? { apiVersion, kind, ...item } : item;

/** The object of a watch event; "gone" for an event without a live object. */
function eventIn(value: JsonObject): JsonObject | "gone" | undefined {
  const { type, object } = value;
  if (typeof type !== "string" || !isObject(object) || value["kind"] !== undefined) return undefined;
  return type === "ADDED" || type === "MODIFIED" ? object : "gone";
}

function itemOf(given: JsonObject, origin: string, { place, mend }: Entry): SourceItem {
  const value = mend === undefined ? given : mend(given);
  const { metadata } = value;
  const kind = textAt(value, "kind");
  if (kind === "" || textAt(value, "apiVersion") === "") return skipped(origin, "names no kind");
  if (!isObject(metadata) || textAt(metadata, "name") === "")
    return skipped(origin, `is a ${kind} without a name`);
  const object = value as KubeObject; // it has what makes one
  return { type: "object", object, origin, ...(place === undefined ? {} : { place }) };
}
