// metadata.managedFields as entries by manager, and back. Reading forgives nothing, since a list that cannot be read is
// not a list of managers; writing gives the order of a real server.

import { canonicalTime } from "../../go/time.ts";
import { carryNotes } from "../../meta/given-empty.ts";
import { equalJson, isObject, type JsonObject } from "../../meta/json.ts";
import { encodeJson } from "../../meta/json-encode.ts";
import type { KubeObject, ManagedFieldsEntry } from "../../meta/object-meta.ts";
import { oncePer, oncePerText } from "../../meta/once-per.ts";
import { compareText, PathElementError } from "./fields/field-path.ts";
import type { FieldSet } from "./fields/field-set.ts";
import { decodeFieldSet, decodeStoredFieldSet, encodeFieldSet, encodeLate } from "./fields/fields-v1.ts";

export type Operation = "Apply" | "Update";

/** Who writes, and how. One name that applies and updates is two managers. */
export interface Manager {
  readonly name: string;
  readonly operation: Operation;
  /** No part of the identity of who applies: there is one entry whatever version is applied. */
  readonly apiVersion: string;
  /** "" for the object itself. */
  readonly subresource: string;
}

/** What a manager owns. */
export interface ManagedEntry extends Manager {
  readonly fields: FieldSet;
  /** When it last changed something; undefined if never. RFC 3339 in UTC with whole seconds, so text sorts as time. */
  readonly time: string | undefined;
  /** The entry as it stands in an object, as long as nothing of it has changed. */
  readonly encoded?: ManagedFieldsEntry | undefined;
}

/** Entries by the identity of their managers. */
export type ManagedEntries = Map<string, ManagedEntry>;

/** The text that tells managers apart, which is also how a real server orders them. */
export function identityOf({ name, operation, apiVersion, subresource }: Manager): string {
  const members: string[] = [];
  if (name) members.push(`"manager":${encodeJson(name)}`);
  members.push(`"operation":"${operation}"`);
  if (apiVersion && operation === "Update") members.push(`"apiVersion":${encodeJson(apiVersion)}`);
  if (subresource) members.push(`"subresource":${encodeJson(subresource)}`);
  return `{${members.join(",")}}`;
}

/** Reads a list as a client may have written it; undefined if one of the entries makes no sense. */
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

/** Reads the list of a stored object, which encodeEntries has written; its entries are kept for writing them again. */
export function decodeStoredEntries(list: readonly ManagedFieldsEntry[] | undefined): ManagedEntries {
  const entries: ManagedEntries = new Map();
  for (const encoded of list ?? []) {
    const stored = readStored(encoded);
    if (stored !== undefined) entries.set(stored.identity, stored.entry);
  }
  return entries;
}

/** Most entries stay as they are from one write to the next, and are the same objects. */
const readStored = oncePer((encoded: ManagedFieldsEntry) => {
  const entry = decodeEntry(encoded, decodeStoredFieldSet);
  return entry && { identity: identityOf(entry), entry: { ...entry, encoded } };
});

const timeOf = oncePerText((text) => canonicalTime(text, false));

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
 * The list for metadata.managedFields; undefined when nobody owns anything. Those of a large object are made when
 * somebody looks into them.
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
  // Members in the order in which they are written; spreading mostly empty objects would cost more than all the rest.
  const entry: ManagedFieldsEntry = { apiVersion, fieldsType: "FieldsV1", fieldsV1 };
  if (name) entry.manager = name;
  entry.operation = operation;
  if (subresource) entry.subresource = subresource;
  if (time !== undefined) entry.time = time;
  return entry;
}

/** Who applies before who updates, then the longer ago the earlier. */
function compareEntries(a: ManagedEntry, b: ManagedEntry): number {
  return (
    compareText(a.operation, b.operation) ||
    compareText(a.time ?? "", b.time ?? "") ||
    compareText(a.name, b.name) ||
    compareText(a.apiVersion, b.apiVersion) ||
    compareText(a.subresource, b.subresource)
  );
}

/** True for a list by which a client asks to forget all managers: [] or [{}]. */
export function isReset(list: readonly ManagedFieldsEntry[] | null | undefined): boolean {
  if (!Array.isArray(list)) return false;
  const [first] = list;
  return list.length === 0 || (list.length === 1 && isObject(first) && Object.keys(first).length === 0);
}

/** The object with other managedFields; undefined takes them away. */
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
 * The next object with the times of the live one, if times in managedFields are all that tells them apart. For the check
 * whether a write changes anything; resourceVersion is passed over.
 */
export function keepTimesOfNoop(live: Readonly<KubeObject>, next: KubeObject): KubeObject {
  const stored = live.metadata.managedFields;
  const written = next.metadata.managedFields;
  if (stored === undefined || written === undefined || stored === written) return next;
  // Nearly all writes change something, and then who owns what need not be looked at.
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
