// What an apply removes: fields that the manager applied the last time, does not apply now, and no other manager owns
// (structured-merge-diff/merge/update.go). Each manager's fields are looked at in the version of its entry, so that the object
// is converted from version to version, by the code that runs the steps.
import { contains, difference, type FieldSet, intersection, isEmpty, union } from "./fields/field-set.ts";
import type { ManagedEntries, ManagedEntry } from "./managed-entries.ts";
import { withoutMetadata } from "./track-update.ts";
import { removeFields } from "./typed/merge.ts";
import { appliedFields, withDeclaredParents } from "./typed/owned-fields.ts";
import type { TypeNode } from "./typed/type-node.ts";
import { typeAt, type Writer } from "./writer.ts";

/** Asks for the object at a version. */
export interface Conversion {
  readonly object: unknown;
  readonly apiVersion: string;
  /** What a failure of it is called. */
  readonly failure: string;
}

/** Steps that are handed the converted object for each conversion that they ask for. */
export type Converting<T> = Generator<Conversion, T, unknown>;

/** For a kind whose objects are alike in all versions but for their apiVersion. */
export function withoutConversion<T>(steps: Converting<T>): T {
  let next = steps.next();
  while (!next.done) next = steps.next(next.value.object);
  return next.value;
}

/** What one manager owns. */
export interface Holding {
  /** Before it applied; undefined: it never has. */
  readonly last: ManagedEntry | undefined;
  readonly now: ManagedEntry;
}

/** An object before and after the pruning, at one version. */
interface Pruning {
  readonly merged: unknown;
  readonly pruned: unknown;
}

/**
 * The merged object without what the manager has let go. `entries` already hold what it owns now. A declared field goes with
 * its last part, a key of a map likewise.
 */
export function* pruneReleased(
  merged: unknown,
  entries: ManagedEntries,
  { last, now }: Holding,
  writer: Writer,
): Converting<unknown> {
  if (last === undefined || isEmpty(last.fields)) return merged;
  // Most configurations name what they named before, and nothing is let go.
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

/** Of the pruned fields, those come back that a manager owns at some version. */
function* addBackOwned(
  start: Pruning,
  entries: ManagedEntries,
  lastVersion: string,
  writer: Writer,
): Converting<Pruning> {
  const owned = ownedByVersion(entries);
  // The version of the last configuration comes first: what was removed was removed in its terms.
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

/** The union of what managers own, by version. */
function ownedByVersion(entries: ManagedEntries): Map<string, FieldSet> {
  const owned = new Map<string, FieldSet>();
  for (const { apiVersion, fields } of entries.values()) {
    const known = owned.get(apiVersion);
    owned.set(apiVersion, known === undefined ? fields : union(known, fields));
  }
  return owned;
}

const allIn = (type: TypeNode, value: unknown): FieldSet => withParents(type, appliedFields(type, value));

/** Metadata never goes with its last part. */
const withParents = (type: TypeNode, fields: FieldSet): FieldSet =>
  withoutMetadata(withDeclaredParents(type, fields));
