// What a write does to the managers of an object. Sets in, sets out: which fields changed is asked per version, since
// every entry is read with the schema of its own version.
import type { KubeObject } from "../../meta/object-meta.ts";
import type { PathElement } from "./fields/field-path.ts";
import { difference, type FieldSet, intersection, isEmpty, setOfPaths, union } from "./fields/field-set.ts";
import { pathsOf } from "./fields/fields-v1.ts";
import type { ManagedEntries, ManagedEntry, Manager } from "./managed-entries.ts";
import {
  type Comparison,
  compareValues,
  isSame,
  SAME,
  withoutFields,
  writtenFields,
} from "./typed/compare.ts";
import { followSchema } from "./typed/owned-fields.ts";
import type { TypeNode } from "./typed/type-forms.ts";

/** The type of the kind at a version; undefined when there is no such version (any more). */
export type TypeAt = (apiVersion: string) => TypeNode | undefined;

/** A field that is somebody else's. */
export interface Conflict {
  readonly manager: Manager;
  readonly path: readonly PathElement[];
}

/** The change from one object to another as each version sees it. Conversion changes nothing but the version itself. */
export class Change {
  readonly #live: Readonly<KubeObject>;
  readonly #next: unknown;
  readonly #typeAt: TypeAt;
  readonly #byVersion = new Map<string, Comparison | undefined>();

  /** No field that can be owned differs, seen at the version of the request. */
  readonly nothing: boolean;

  /** `ignored` are fields that the endpoint does not change, seen at its own version. Throws ListItemError. */
  constructor(
    live: Readonly<KubeObject>,
    next: unknown,
    { apiVersion, typeAt, ignored }: { apiVersion: string; typeAt: TypeAt; ignored: FieldSet },
  ) {
    this.#live = live;
    this.#next = next;
    this.#typeAt = typeAt;
    const own = this.at(apiVersion) ?? SAME;
    this.nothing = isSame(own);
    this.#byVersion.set(apiVersion, withoutFields(own, ignored));
  }

  /** undefined for a version that does not exist. */
  at(apiVersion: string): Comparison | undefined {
    if (this.#byVersion.has(apiVersion)) return this.#byVersion.get(apiVersion);
    const type = this.#typeAt(apiVersion);
    const comparison = type && compareValues(type, this.#live, this.#next);
    this.#byVersion.set(apiVersion, comparison);
    return comparison;
  }
}

const METADATA = setOfPaths([[{ type: "field", name: "metadata" }]]);

/** The fields without metadata as such, which nobody owns (its parts are somebody's). */
export const withoutMetadata = (fields: FieldSet): FieldSet => difference(fields, METADATA);

/** The entries as the schema of today reads them; those at versions that are gone are left out. */
export function followSchemas(entries: ManagedEntries, typeAt: TypeAt): ManagedEntries {
  const out: ManagedEntries = new Map();
  for (const [identity, entry] of entries) {
    const type = typeAt(entry.apiVersion);
    if (type !== undefined) out.set(identity, withFields(entry, followSchema(type, entry.fields)));
  }
  return out;
}

/** What of a change is somebody's, except the manager with the identity `self`. */
export function findConflicts(entries: ManagedEntries, change: Change, self: string): Conflict[] {
  const conflicts: Conflict[] = [];
  for (const [identity, entry] of [...entries].sort(byIdentity)) {
    const comparison = identity === self ? undefined : change.at(entry.apiVersion);
    if (comparison === undefined) continue;
    const paths = pathsOf(intersection(entry.fields, writtenFields(comparison)));
    for (const path of paths) conflicts.push({ manager: entry, path });
  }
  return conflicts;
}

function byIdentity([a]: [string, ManagedEntry], [b]: [string, ManagedEntry]): number {
  return a < b ? -1 : 1;
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
export function withFields(entry: ManagedEntry, fields: FieldSet): ManagedEntry {
  return fields === entry.fields ? entry : { ...entry, fields, encoded: undefined };
}

/** The union of what managers own, by version. */
export function ownedByVersion(entries: ManagedEntries): Map<string, FieldSet> {
  const owned = new Map<string, FieldSet>();
  for (const { apiVersion, fields } of entries.values()) {
    const known = owned.get(apiVersion);
    owned.set(apiVersion, known === undefined ? fields : union(known, fields));
  }
  return owned;
}
