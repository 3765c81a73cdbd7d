// Fields that an apply removes: those that the manager applied the last time, does not apply now, and that no other
// manager owns (structured-merge-diff/merge/update.go). Each manager's fields are evaluated at the version of its entry.
// The caller of the steps converts the object between versions.
import { contains, difference, type FieldSet, intersection, isEmpty, union } from "./fields/field-set.ts";
import type { ManagedEntries, ManagedEntry } from "./managed-entries.ts";
import { withoutMetadata } from "./track-update.ts";
import { removeFields } from "./typed/merge.ts";
import { appliedFields, withDeclaredParents } from "./typed/owned-fields.ts";
import type { TypeNode } from "./typed/type-node.ts";
import { typeAt, type Writer } from "./writer.ts";

/** Requests the object at a version. */
export interface Conversion {
  readonly object: unknown;
  readonly apiVersion: string;
  /** Name of the operation in the error of a failed conversion. */
  readonly failure: string;
}

/** Coroutine that receive the converted object for each requested conversion. */
export type Converting<T> = Generator<Conversion, T, unknown>;

/** For kinds whose versions differ in apiVersion only. */
export function withoutConversion<T>(steps: Converting<T>): T {
  let next = steps.next();
  while (!next.done) next = steps.next(next.value.object);
  return next.value;
}

/** Entries of one manager. */
export interface Holding {
  /** Before this apply; undefined: it is the manager's first. */
  readonly last: ManagedEntry | undefined;
  readonly now: ManagedEntry;
}

/** An object before and after pruning, at one version. */
interface Pruning {
  readonly merged: unknown;
  readonly pruned: unknown;
}

/**
 * The merged object without the fields that the manager no longer applies. `entries` already hold its new fields. A
 * declared field is removed with its last child, as is a key of a map.
 */
export function* pruneReleased(
  merged: unknown,
  entries: ManagedEntries,
  { last, now }: Holding,
  writer: Writer,
): Converting<unknown> {
  if (last === undefined || isEmpty(last.fields)) return merged;
  // Most configurations have the fields of the last one, and nothing is removed.
  if (now.apiVersion === last.apiVersion && contains(now.fields, last.fields)) return merged;
  const { apiVersion } = last;
  const type = typeAt(writer, apiVersion);
  if (type === undefined) return merged;
  const lastFields = withParents(type, last.fields);
  const failure = "failed to convert merged object to last applied version";
  const mergedThere = yield { object: merged, apiVersion, failure };
  const owned = { merged: mergedThere, pruned: removeFields(type, mergedThere, lastFields) };
  const { pruned } = yield* addBackOwned(owned, entries, apiVersion, writer);
  const dangling =
    "failed to add back dangling items: failed to convert pruned object to last applied version";
  const prunedThere = yield { object: pruned, apiVersion, failure: dangling };
  const gone = difference(allIn(type, mergedThere), allIn(type, prunedThere));
  const left = removeFields(type, mergedThere, intersection(gone, lastFields));
  return yield { object: left, apiVersion: writer.apiVersion, failure: "failed to convert pruned object" };
}

/** Restores pruned fields that another manager owns at some version. */
function* addBackOwned(
  start: Pruning,
  entries: ManagedEntries,
  lastVersion: string,
  writer: Writer,
): Converting<Pruning> {
  const owned = ownedByVersion(entries);
  // The version of the last configuration comes first, because fields were removed at that version.
  const versions = [...owned.keys()].sort((a, b) => Number(b === lastVersion) - Number(a === lastVersion));
  let at = start;
  for (const apiVersion of versions) {
    const type = typeAt(writer, apiVersion);
    const fields = owned.get(apiVersion);
    if (type === undefined || fields === undefined) continue;
    const merged = yield { object: at.merged, apiVersion, failure: ownedFailure("merged", apiVersion) };
    const pruned = yield { object: at.pruned, apiVersion, failure: ownedFailure("pruned", apiVersion) };
    const kept = union(allIn(type, pruned), withParents(type, fields));
    at = { merged, pruned: removeFields(type, merged, difference(allIn(type, merged), kept)) };
  }
  return at;
}

const ownedFailure = (which: string, apiVersion: string): string =>
  `failed to add back owned items: failed to convert ${which} object at version ${apiVersion}`;

/** Union of the managers' field sets, by version. */
function ownedByVersion(entries: ManagedEntries): Map<string, FieldSet> {
  const owned = new Map<string, FieldSet>();
  for (const { apiVersion, fields } of entries.values()) {
    const known = owned.get(apiVersion);
    owned.set(apiVersion, known === undefined ? fields : union(known, fields));
  }
  return owned;
}

const allIn = (type: TypeNode, value: unknown): FieldSet => withParents(type, appliedFields(type, value));

/** metadata itself is never removed with its last child. */
const withParents = (type: TypeNode, fields: FieldSet): FieldSet =>
  withoutMetadata(withDeclaredParents(type, fields));
