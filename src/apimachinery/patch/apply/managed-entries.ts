// metadata.managedFields as entries by manager, and back. Decoding is strict, since an invalid list is rejected as a
// whole; encoding has upstream's order.

import { canonicalTime } from "../../go/time.ts";
import { equalJson, isObject, type JsonObject } from "../../json/json.ts";
import { encodeJson } from "../../json/json-encode.ts";
import { carryNotes } from "../../meta/given-empty.ts";
import { memoize, memoizeText } from "../../meta/memoize.ts";
import type { KubeObject, ManagedFieldsEntry } from "../../meta/object-meta.ts";
import { compareText, PathElementError } from "./fields/field-path.ts";
import type { FieldSet } from "./fields/field-set.ts";
import { decodeFieldSet, decodeStoredFieldSet, encodeFieldSet, encodeLate } from "./fields/fields-v1.ts";

export type Operation = "Apply" | "Update";

/** Identity of a manager. One name that both applies and updates is two managers. */
export interface Manager {
  readonly name: string;
  readonly operation: Operation;
  /** Not part of the identity of an Apply manager, which has one entry whatever version it applies. */
  readonly apiVersion: string;
  /** "" for the object itself. */
  readonly subresource: string;
}

/** A manager and the fields that it owns. */
export interface ManagedEntry extends Manager {
  readonly fields: FieldSet;
  /** Time of its last change; undefined if never. RFC 3339 in UTC with whole seconds, so that text sorts as time. */
  readonly time: string | undefined;
  /** The stored entry, as long as it is unchanged. */
  readonly encoded?: ManagedFieldsEntry | undefined;
}

/** Entries by the identity of their managers. */
export type ManagedEntries = Map<string, ManagedEntry>;

/** Identity text of a manager, by which upstream also sorts them. */
export function identityOf({ name, operation, apiVersion, subresource }: Manager): string {
  const members: string[] = [];
  if (name) members.push(`"manager":${encodeJson(name)}`);
  members.push(`"operation":"${operation}"`);
  if (apiVersion && operation === "Update") members.push(`"apiVersion":${encodeJson(apiVersion)}`);
  if (subresource) members.push(`"subresource":${encodeJson(subresource)}`);
  return `{${members.join(",")}}`;
}

/** Decodes the list of a client; undefined if one of the entries is invalid. */
export function decodeEntries(list: readonly ManagedFieldsEntry[] | undefined): ManagedEntries | undefined {
  const entries: ManagedEntries = new Map();
  try {
    for (const encoded of list ?? []) {
      const entry = decodeEntry(encoded, decodeFieldSet);
      if (entry === undefined) return undefined;
      entries.set(identityOf(entry), entry);
    }
  } catch (error) {
    if (error instanceof PathElementError) return undefined;
    throw error;
  }
  return entries;
}

/** Decodes the list of a stored object, which encodeEntries wrote; its entries are kept for encoding. */
export function decodeStoredEntries(list: readonly ManagedFieldsEntry[] | undefined): ManagedEntries {
  const entries: ManagedEntries = new Map();
  for (const encoded of list ?? []) {
    const stored = readStored(encoded);
    if (stored !== undefined) entries.set(stored.identity, stored.entry);
  }
  return entries;
}

/** Most entries are unchanged from one write to the next, and are the same objects. */
const readStored = memoize((encoded: ManagedFieldsEntry) => {
  const entry = decodeEntry(encoded, decodeStoredFieldSet);
  return entry && { identity: identityOf(entry), entry: { ...entry, encoded } };
});

const timeOf = memoizeText((text) => canonicalTime(text, false));

function decodeEntry(
  encoded: ManagedFieldsEntry,
  readFields: (fields: unknown) => FieldSet,
): ManagedEntry | undefined {
  const { operation, apiVersion, fieldsType } = encoded;
  if ((operation !== "Apply" && operation !== "Update") || !apiVersion || fieldsType !== "FieldsV1") {
    return undefined;
  }
  return {
    name: encoded.manager ?? "",
    operation,
    apiVersion,
    subresource: encoded.subresource ?? "",
    fields: readFields(encoded.fieldsV1 ?? {}),
    time: encoded.time ? timeOf(encoded.time) : undefined,
  };
}

/**
 * The list for metadata.managedFields; undefined when there are no entries. Field sets of a large object are encoded on
 * access.
 */
export function encodeEntries(entries: ManagedEntries, isLarge = false): ManagedFieldsEntry[] | undefined {
  if (entries.size === 0) return undefined;
  const encode = isLarge ? encodeLate : encodeFieldSet;
  return [...entries.values()]
    .sort(compareEntries)
    .map((entry) => entry.encoded ?? encodeEntry(entry, encode(entry.fields)));
}

function encodeEntry(
  { name, operation, apiVersion, subresource, time }: ManagedEntry,
  fieldsV1: JsonObject,
): ManagedFieldsEntry {
  // Members in encoding order; spreading mostly empty objects would cost more than everything else.
  const entry: ManagedFieldsEntry = { apiVersion, fieldsType: "FieldsV1", fieldsV1 };
  if (name) entry.manager = name;
  entry.operation = operation;
  if (subresource) entry.subresource = subresource;
  if (time !== undefined) entry.time = time;
  return entry;
}

/** Apply entries before Update entries, then by ascending time. */
function compareEntries(a: ManagedEntry, b: ManagedEntry): number {
  return (
    compareText(a.operation, b.operation) ||
    compareText(a.time ?? "", b.time ?? "") ||
    compareText(a.name, b.name) ||
    compareText(a.apiVersion, b.apiVersion) ||
    compareText(a.subresource, b.subresource)
  );
}

/** True for a list with which a client resets managedFields: [] or [{}]. */
export function isReset(list: readonly ManagedFieldsEntry[] | null | undefined): boolean {
  if (!Array.isArray(list)) return false;
  const [first] = list;
  return list.length === 0 || (list.length === 1 && isObject(first) && Object.keys(first).length === 0);
}

/** The object with other managedFields; undefined removes them. */
export function withManagedFields(
  object: Readonly<KubeObject>,
  managedFields: ManagedFieldsEntry[] | undefined,
): KubeObject {
  const { managedFields: _, ...metadata } = object.metadata;
  const copy = {
    ...object,
    metadata: managedFields === undefined ? metadata : { ...metadata, managedFields },
  };
  carryNotes(object, copy);
  return copy;
}

/**
 * The next object with the times of the live one, if only times in managedFields differ. For the no-op check of a write;
 * resourceVersion is ignored.
 */
export function keepTimesOfNoop(live: Readonly<KubeObject>, next: KubeObject): KubeObject {
  const stored = live.metadata.managedFields;
  const written = next.metadata.managedFields;
  if (stored === undefined || written === undefined || stored === written) return next;
  // Nearly all writes change something; then managedFields need no comparison.
  if (!equalJson(comparable(live), comparable(next))) return next;
  const owned = equalJson(stored.map(withoutTime), written.map(withoutTime));
  return owned ? withManagedFields(next, stored) : next;
}

function withoutTime({ time: _, ...entry }: ManagedFieldsEntry): ManagedFieldsEntry {
  return entry;
}

function comparable(object: Readonly<KubeObject>): KubeObject {
  const { managedFields: _fields, resourceVersion: _version, ...metadata } = object.metadata;
  return { ...object, metadata };
}
