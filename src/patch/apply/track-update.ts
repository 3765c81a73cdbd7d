// Who owns which field of an object: follows creations, replacements and plain patches. What these set belongs to their
// manager and to nobody else, what they took away to nobody. Server-side apply stands in apply-patch.ts. Neither changes
// what it is given.
import { equalJson } from "../../meta/json.ts";
import type { KubeObject, ManagedFieldsEntry } from "../../meta/object-meta.ts";
import { oncePer } from "../../meta/once-per.ts";
import { atOnce, inTurns, type Steps } from "../../meta/steps.ts";
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
  /** The object as it is; undefined when this write creates it. */
  readonly live: Readonly<KubeObject> | undefined;
  /** The object as it will be, in the version of the request, defaulted and pruned. */
  readonly next: Readonly<KubeObject>;
}

/** The next object with managedFields as this write leaves them. */
export const trackUpdate = (input: UpdateInput): KubeObject => atOnce(track(input));

/** The same where much is written; others are answered between its steps. */
export const trackUpdateInTurns = (input: UpdateInput): Promise<KubeObject> => inTurns(track(input));

function* track(input: UpdateInput): Steps<KubeObject> {
  const stored = input.live?.metadata.managedFields;
  // An object that is not of its type cannot be followed. Nobody owns anything of it, be it only because of a status that
  // is not taken; what is taken, validation will refuse.
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

/** A custom resource may be stored from before its schema, or be what a webhook has made of it. */
const fitsAsRead = ({ node, live }: UpdateInput): boolean =>
  live === undefined || node.goType !== undefined || fitsType(typeOfKind(node), live);

function* entriesAfter(
  input: UpdateInput,
  stored: ManagedFieldsEntry[] | undefined,
): Steps<ManagedFieldsEntry[] | undefined> {
  const { live, next } = input;
  const given = input.subresource ? undefined : givenEntries(next, stored);
  // An object that nobody has been tracked for stays untracked until the first apply.
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
 * False if an entry has to go: its version is gone, or a later one is of the same manager, as a write to /scale can leave it
 * when it changes nothing.
 */
function staysAsRead(input: UpdateInput, stored: readonly ManagedFieldsEntry[] = []): boolean {
  const knowsVersions = stored.every(({ apiVersion }) => typeAt(input, apiVersion ?? "") !== undefined);
  return knowsVersions && decodeStoredEntries(stored).size === stored.length;
}

/** The entries that the client has written into the next object; undefined when those of the live object count. */
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

/** The fields without metadata as such, which nobody owns (its parts are somebody's). */
export const withoutMetadata = (fields: FieldSet): FieldSet => difference(fields, METADATA);

/** The entries as the schema of today reads them; those at versions that are gone are left out. */
export function followSchemas(entries: ManagedEntries, writer: Writer): ManagedEntries {
  const out: ManagedEntries = new Map();
  for (const [identity, entry] of entries) {
    const type = typeAt(writer, entry.apiVersion);
    if (type !== undefined) out.set(identity, withFields(entry, followedBy(type)(entry.fields)));
  }
  return out;
}

const followedBy = oncePer((type: TypeNode) => oncePer((fields: FieldSet) => followSchema(type, fields)));

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

/** The entries after the write. */
export function* recordUpdate(
  entries: ManagedEntries,
  change: Change,
  writer: Writer,
): Steps<ManagedEntries> {
  const kept = giveUpChanged(followSchemas(entries, writer), change);
  yield;
  takeFields(kept, entries, change, writer);
  yield;
  return limitUpdateManagers(kept);
}

/** Gives the written fields to the writer, and its entry the time of the write. `before` are the entries before it. */
function takeFields(kept: ManagedEntries, before: ManagedEntries, change: Change, writer: Writer): void {
  const own = change.at(writer.apiVersion);
  const written = own === undefined ? EMPTY : withoutMetadata(writtenFields(own));
  if (isEmpty(written)) return;
  const manager = managerOf(writer, "Update");
  const identity = identityOf(manager);
  const rest = kept.get(identity)?.fields ?? EMPTY;
  const fields = union(rest, written);
  const previous = before.get(identity);
  // Most writes change the value of what their manager owns already: then the encoded set can stay as it is.
  const unchanged = previous?.encoded !== undefined && equalSets(previous.fields, fields);
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
