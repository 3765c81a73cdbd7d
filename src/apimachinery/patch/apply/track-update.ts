// Field ownership after creates, replaces and plain patches. The manager becomes the only owner of the fields that it
// sets. Removed fields lose all owners. Server-side apply is in apply-patch.ts. Neither changes its input.
import { equalJson } from "../../json/json.ts";
import { memoize } from "../../meta/memoize.ts";
import type { KubeObject, ManagedFieldsEntry } from "../../meta/object-meta.ts";
import { type Coroutine, runSync, runYielding } from "../../scheduling/coroutine.ts";
import { compareText } from "./fields/field-path.ts";
import {
  difference,
  EMPTY,
  equalSets,
  type FieldSet,
  isEmpty,
  setOfFields,
  union,
} from "./fields/field-set.ts";
import {
  decodeEntries,
  decodeStoredEntries,
  encodeEntries,
  identityOf,
  isReset,
  type ManagedEntries,
  type ManagedEntry,
  withManagedFields,
} from "./managed-entries.ts";
import { fitsType } from "./typed/check.ts";
import { writtenFields } from "./typed/compare.ts";
import { followSchema, ListItemError } from "./typed/owned-fields.ts";
import { type TypeNode, typeOfKind } from "./typed/type-node.ts";
import { Change, emptyLive, managerOf, typeAt, type Writer } from "./writer.ts";

export interface UpdateInput extends Writer {
  /** The live object; undefined when this write creates it. */
  readonly live: Readonly<KubeObject> | undefined;
  /** The object to be written, in the version of the request, defaulted and pruned. */
  readonly next: Readonly<KubeObject>;
}

/** The next object with its managedFields after this write. */
export const trackUpdate = (input: UpdateInput): KubeObject => runSync(track(input));

/** The same for large objects, yielding to the event loop between the steps. */
export const trackUpdateInTurns = (input: UpdateInput): Promise<KubeObject> => runYielding(track(input));

function* track(input: UpdateInput): Coroutine<KubeObject> {
  const stored = input.live?.metadata.managedFields;
  // Ownership of an object that does not fit its type cannot be tracked, so its managedFields are removed. That holds
  // even if only an ignored status does not fit; validation rejects the other cases.
  if (!fitsType(typeOfKind(input.node), input.next) || !fitsAsRead(input))
    return withManagedFields(input.next, undefined);
  yield;
  try {
    return withManagedFields(input.next, yield* entriesAfter(input, stored));
  } catch (error) {
    if (!(error instanceof ListItemError)) throw error;
    return withManagedFields(input.next, undefined);
  }
}

/** A custom resource may be older than its schema, or be the result of a conversion webhook. */
const fitsAsRead = ({ node, live }: UpdateInput): boolean =>
  live === undefined || node.goType !== undefined || fitsType(typeOfKind(node), live);

function* entriesAfter(
  input: UpdateInput,
  stored: ManagedFieldsEntry[] | undefined,
): Coroutine<ManagedFieldsEntry[] | undefined> {
  const { live, next } = input;
  const given = input.subresource ? undefined : givenEntries(next, stored);
  // An object without managedFields stays untracked until the first apply.
  if (live !== undefined && (given?.size ?? stored?.length ?? 0) === 0) return undefined;
  yield;
  const change = new Change(input, live ?? emptyLive(input.node), next);
  if (live !== undefined && given === undefined && change.nothing && staysAsRead(input, stored))
    return stored;
  yield;
  const before = given ?? decodeStoredEntries(stored);
  yield;
  const kept = yield* recordUpdate(before, change, input);
  yield;
  return encodeEntries(kept, input.isLarge);
}

/**
 * False if an entry must be removed: its version no longer exists, or a later entry has the same manager. A write to
 * /scale without changes can leave such an entry.
 */
function staysAsRead(input: UpdateInput, stored: readonly ManagedFieldsEntry[] = []): boolean {
  const knowsVersions = stored.every(({ apiVersion }) => typeAt(input, apiVersion ?? "") !== undefined);
  return knowsVersions && decodeStoredEntries(stored).size === stored.length;
}

/** Entries that the client set in the next object; undefined when those of the live object apply. */
function givenEntries(
  { metadata }: Readonly<KubeObject>,
  stored: ManagedFieldsEntry[] | undefined,
): ManagedEntries | undefined {
  const given = metadata.managedFields;
  if (given === stored) return undefined;
  if (isReset(given)) return new Map();
  if (equalJson(given, stored)) return undefined;
  const entries = decodeEntries(given);
  return entries?.size === 0 ? undefined : entries;
}

const METADATA = setOfFields([["metadata"]]);

/** The fields without metadata itself, which has no owner (its members can have one). */
export const withoutMetadata = (fields: FieldSet): FieldSet => difference(fields, METADATA);

/** The entries by the current schemas; entries at removed versions are left out. */
export function followSchemas(entries: ManagedEntries, writer: Writer): ManagedEntries {
  const out: ManagedEntries = new Map();
  for (const [identity, entry] of entries) {
    const type = typeAt(writer, entry.apiVersion);
    if (type !== undefined) out.set(identity, withFields(entry, followedBy(type)(entry.fields)));
  }
  return out;
}

const followedBy = memoize((type: TypeNode) => memoize((fields: FieldSet) => followSchema(type, fields)));

/** The entries without changed and removed fields; the manager with the identity `self` keeps its own. */
export function removeChangedFields(entries: ManagedEntries, change: Change, self?: string): ManagedEntries {
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

/** An entry with another field set; the entry itself if the set is the same. */
function withFields(entry: ManagedEntry, fields: FieldSet): ManagedEntry {
  return fields === entry.fields ? entry : { ...entry, fields, encoded: undefined };
}

/** The entries after the write. */
export function* recordUpdate(
  entries: ManagedEntries,
  change: Change,
  writer: Writer,
): Coroutine<ManagedEntries> {
  const kept = removeChangedFields(followSchemas(entries, writer), change);
  yield;
  takeFields(kept, entries, change, writer);
  yield;
  return limitUpdateManagers(kept);
}

/** Assigns the written fields to the writer, with the time of the write. `before` are the entries before it. */
function takeFields(kept: ManagedEntries, before: ManagedEntries, change: Change, writer: Writer): void {
  const own = change.at(writer.apiVersion);
  const written = own === undefined ? EMPTY : withoutMetadata(writtenFields(own));
  if (isEmpty(written)) return;
  const manager = managerOf(writer, "Update");
  const identity = identityOf(manager);
  const rest = kept.get(identity)?.fields ?? EMPTY;
  const fields = union(rest, written);
  const previous = before.get(identity);
  // Most writes change values of fields that their manager already owns, so the encoded set is reused.
  const unchanged = previous?.encoded !== undefined && equalSets(previous.fields, fields);
  kept.set(identity, {
    ...manager,
    fields,
    time: writer.nowText,
    encoded: unchanged ? { ...previous.encoded, time: writer.nowText } : undefined,
  });
}

/** Maximal number of Update managers in an object. */
const UPDATE_MANAGERS_MAX = 10;
const BUCKET_NAME = "ancient-changes";

/** Merges the entries with the oldest updates, one entry per version, until the limit holds. */
function limitUpdateManagers(entries: ManagedEntries): ManagedEntries {
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
