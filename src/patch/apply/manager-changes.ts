// What a write does to the managers of an object. Of a write that is no apply: what it set belongs to its manager and to
// nobody else, what it took away to nobody.

import { compareText } from "./fields/field-path.ts";
import {
  contains,
  difference,
  EMPTY,
  type FieldSet,
  isEmpty,
  setOfFields,
  union,
} from "./fields/field-set.ts";
import { identityOf, type ManagedEntries, type ManagedEntry } from "./managed-entries.ts";
import { writtenFields } from "./typed/compare.ts";
import { followSchema } from "./typed/owned-fields.ts";
import { type Change, managerOf, typeAt, type Writer } from "./writer.ts";

const METADATA = setOfFields([["metadata"]]);

/** The fields without metadata as such, which nobody owns (its parts are somebody's). */
export const withoutMetadata = (fields: FieldSet): FieldSet => difference(fields, METADATA);

/** The entries as the schema of today reads them; those at versions that are gone are left out. */
export function followSchemas(entries: ManagedEntries, writer: Writer): ManagedEntries {
  const out: ManagedEntries = new Map();
  for (const [identity, entry] of entries) {
    const type = typeAt(writer, entry.apiVersion);
    if (type !== undefined) out.set(identity, withFields(entry, followSchema(type, entry.fields)));
  }
  return out;
}

/** The entries without what a change set or took away; the manager with the identity `self` keeps what it has. */
export function giveUpChanged(entries: ManagedEntries, change: Change, self?: string): ManagedEntries {
  const out: ManagedEntries = new Map();
  for (const [identity, entry] of entries) {
    let kept = entry;
    if (identity !== self) {
      const comparison = change.at(entry.apiVersion);
      if (comparison === undefined) continue;
      const written = difference(entry.fields, comparison.added);
      const unmodified = difference(written, comparison.modified);
      kept = withFields(entry, difference(unmodified, comparison.removed));
    }
    if (!isEmpty(kept.fields)) out.set(identity, kept);
  }
  return out;
}

/** An entry that owns other fields; the entry itself if they are the same ones. */
function withFields(entry: ManagedEntry, fields: FieldSet): ManagedEntry {
  return fields === entry.fields ? entry : { ...entry, fields, encoded: undefined };
}

/** The entries after the write. Throws ListItemError, too. */
export function recordUpdate(entries: ManagedEntries, change: Change, writer: Writer): ManagedEntries {
  const kept = giveUpWritten(entries, change, writer);
  takeFields(kept, entries, change, writer);
  return limitUpdateManagers(kept);
}

/** The entries without what the write has changed. */
export const giveUpWritten = (entries: ManagedEntries, change: Change, writer: Writer): ManagedEntries =>
  giveUpChanged(followSchemas(entries, writer), change);

/** Gives the written fields to the writer, and its entry the time of the write. `before` are the entries before it. */
export function takeFields(
  kept: ManagedEntries,
  before: ManagedEntries,
  change: Change,
  writer: Writer,
): void {
  const own = change.at(writer.apiVersion);
  const written = own === undefined ? EMPTY : withoutMetadata(writtenFields(own));
  if (isEmpty(written)) return;
  const manager = managerOf(writer, "Update");
  const identity = identityOf(manager);
  const rest = kept.get(identity)?.fields ?? EMPTY;
  const fields = union(rest, written);
  const previous = before.get(identity);
  // Most writes change the value of what their manager owns already: then the encoded set can stay as it is.
  const unchanged =
    previous?.encoded !== undefined && contains(fields, previous.fields) && contains(previous.fields, fields);
  kept.set(identity, {
    ...manager,
    fields,
    time: writer.nowText,
    encoded: unchanged ? { ...previous.encoded, time: writer.nowText } : undefined,
  });
}

/** So many managers that update it an object remembers. */
const UPDATE_MANAGERS_MAX = 10;
const BUCKET_NAME = "ancient-changes";

/** The entries with the oldest updates merged, one entry per version, until the limit holds. */
export function limitUpdateManagers(entries: ManagedEntries): ManagedEntries {
  const updaters = [...entries].filter(([, entry]) => entry.operation === "Update");
  let excess = updaters.length - UPDATE_MANAGERS_MAX;
  if (excess <= 0) return entries;
  updaters.sort(([idA, a], [idB, b]) => compareText(a.time ?? "", b.time ?? "") || compareText(idA, idB));
  const limited: ManagedEntries = new Map(entries);
  const oldestAt = new Map<string, string>();
  for (const [identity, entry] of updaters) {
    if (excess === 0) break;
    const oldest = oldestAt.get(entry.apiVersion);
    if (oldest === undefined) {
      oldestAt.set(entry.apiVersion, identity);
      continue;
    }
    const manager = { ...entry, name: BUCKET_NAME, subresource: "" };
    const bucket = identityOf(manager);
    let merged = limited.get(bucket);
    if (merged === undefined) {
      merged = limited.get(oldest);
      limited.delete(oldest);
    }
    limited.delete(identity);
    limited.set(bucket, {
      ...manager,
      fields: merged === undefined ? entry.fields : union(merged.fields, entry.fields),
      encoded: undefined,
    });
    excess--;
  }
  return limited;
}
