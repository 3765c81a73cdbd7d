// What goes when a manager applies: fields that it applied the last time, does not apply now, and nobody else owns.
import type { FieldSet } from "./fields/field-set.ts";
import { contains, difference, intersection, isEmpty, union } from "./fields/field-set.ts";
import type { ManagedEntries, ManagedEntry } from "./managed-entries.ts";
import { ownedByVersion, type TypeAt, withoutMetadata } from "./manager-changes.ts";
import { appliedFields, withDeclaredParents } from "./typed/owned-fields.ts";
import { removeFields } from "./typed/remove.ts";
import type { TypeNode } from "./typed/type-forms.ts";

/** What one manager owns. */
interface Holding {
  /** Before it applied; undefined: it never has. */
  readonly last: ManagedEntry | undefined;
  readonly now: ManagedEntry;
}

/**
 * The merged object without what the manager has let go. `entries` already hold what it owns now. A declared field goes
 * with its last part, a key of a map likewise.
 */
export function pruneReleased(
  merged: unknown,
  entries: ManagedEntries,
  { last, now }: Holding,
  typeAt: TypeAt,
): unknown {
  if (last === undefined || isEmpty(last.fields)) return merged;
  // Most configurations name what they named before, and nothing is let go.
  if (now.apiVersion === last.apiVersion && contains(now.fields, last.fields)) return merged;
  const type = typeAt(last.apiVersion);
  if (type === undefined) return merged;
  const lastFields = withParents(type, last.fields);
  const owned = ownedByVersion(entries);
  // The version of the last configuration comes first: what was removed was removed in its terms.
  const versions = [...owned.keys()].sort(
    (a, b) => Number(b === last.apiVersion) - Number(a === last.apiVersion),
  );
  let pruned = removeFields(type, merged, lastFields);
  for (const version of versions) {
    const typeThere = typeAt(version);
    const ownedThere = owned.get(version);
    if (typeThere === undefined || ownedThere === undefined) continue;
    pruned = addBackOwned(typeThere, merged, pruned, ownedThere);
  }
  const gone = difference(allIn(type, merged), allIn(type, pruned));
  return removeFields(type, merged, intersection(gone, lastFields));
}

/** The merged object with only those of its pruned fields missing that nobody owns. */
function addBackOwned(type: TypeNode, merged: unknown, pruned: unknown, owned: FieldSet): unknown {
  const kept = union(allIn(type, pruned), withParents(type, owned));
  return removeFields(type, merged, difference(allIn(type, merged), kept));
}

const allIn = (type: TypeNode, value: unknown): FieldSet => withParents(type, appliedFields(type, value));

/** Metadata never goes with its last part. */
const withParents = (type: TypeNode, fields: FieldSet): FieldSet =>
  withoutMetadata(withDeclaredParents(type, fields));
