// Server-side apply (KEP-555), as a list of steps: others can have their turn between them where the object is large.
import { cloneByStepsIf } from "../../meta/clone-steps.ts";
import { equalJson, isObject } from "../../meta/json.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import { badRequest, plainError } from "../../meta/status.ts";
import { atOnce, inTurns, type Steps } from "../../meta/steps.ts";
import { type Conflict, conflictError, findConflicts } from "./conflicts.ts";
import {
  contains,
  difference,
  type FieldSet,
  intersection,
  isEmpty,
  recursiveDifference,
  union,
} from "./fields/field-set.ts";
import { conflictsBeyondLastApplied, KUBECTL, updateLastApplied } from "./last-applied.ts";
import {
  decodeStoredEntries,
  encodeEntries,
  identityOf,
  type ManagedEntries,
  type ManagedEntry,
  withManagedFields,
} from "./managed-entries.ts";
import { followSchemas, giveUpChanged, recordUpdate, withoutMetadata } from "./track-update.ts";
import { describeTypeFaults } from "./typed/check.ts";
import { mergeValues, removeFields } from "./typed/merge.ts";
import { appliedFields, ListItemError, withDeclaredParents } from "./typed/owned-fields.ts";
import { type TypeNode, typeOfKind } from "./typed/type-node.ts";
import { Change, emptyLive, ignoredFields, managerOf, typeAt, type Writer } from "./writer.ts";

export interface ApplyInput extends Writer {
  /** The object as it is; undefined when this apply creates it. */
  readonly live: Readonly<KubeObject> | undefined;
  /** The decoded configuration as it was sent: metadata may be missing, and nothing is checked yet. */
  readonly applied: Readonly<Partial<KubeObject>>;
  /** What the configuration must be. */
  readonly kind: string;
  /** Takes fields that others own. */
  readonly force: boolean;
}

/**
 * The live object with the configuration applied: neither defaulted nor pruned by the schema, sharing nothing with what
 * was given but entries of managedFields that stay. Throws 400 for a configuration of another kind or with managedFields,
 * 500 for one that does not fit the schema (as a real server does), 409 for conflicts.
 */
export const applyPatch = (input: ApplyInput): KubeObject => atOnce(apply(input));

/** The same, with a pause after each step. */
export const applyPatchInTurns = (input: ApplyInput): Promise<KubeObject> => inTurns(apply(input));

function* apply(input: ApplyInput): Steps<KubeObject> {
  const { apiVersion, kind } = input;
  const live = input.live ?? { apiVersion, kind, metadata: {} };
  try {
    return yield* applyTo(live, input);
  } catch (error) {
    if (!(error instanceof ListItemError)) throw error;
    throw plainError(`failed to create typed live object (${describeObject(live)}): ${error.message}`);
  }
}

function* applyTo(live: Readonly<KubeObject>, input: ApplyInput): Steps<KubeObject> {
  const type = typeOfKind(input.node);
  checkKind(input);
  const before = yield* entriesBefore(input, live);
  checkForm(input);
  yield;
  const entries = followSchemas(before, input);
  yield;
  const manager = managerOf(input, "Apply");
  const self = identityOf(manager);
  const last = entries.get(self);
  const fields = recursiveDifference(appliedFields(type, input.applied), ignoredFields(input));
  const now = { ...manager, fields, time: last?.time };
  entries.set(self, now);
  yield;
  const merged = mergeValues(type, live, input.applied);
  yield;
  const object = pruneReleased(merged, entries, { last, now }, input);
  yield;
  const change = new Change(input, live, object);
  yield;
  if (!input.force) refuseConflicts(findConflicts(entries, change, self), live, input);
  yield;
  const kept = giveUpChanged(entries, change, self);
  yield;
  const owned = { ...now, fields: withoutMetadata(fields) };
  if (isEmpty(owned.fields)) kept.delete(self);
  // An apply that changes nothing leaves no time, not even at its first entry.
  else kept.set(self, equalJson(live, object) ? owned : { ...owned, time: input.nowText });
  yield;
  const next = yield* detached(object as KubeObject, input); // merged from objects of the kind
  yield;
  const managedFields = encodeEntries(kept, input.isLarge);
  if (managedFields !== undefined) next.metadata.managedFields = managedFields;
  yield;
  return next;
}

function checkKind({ applied, apiVersion, kind }: ApplyInput): void {
  if (applied.apiVersion !== apiVersion || applied.kind !== kind) {
    throw badRequest(`invalid object type: ${describeKind(applied)}`);
  }
  if (Array.isArray(applied.metadata?.managedFields)) throw badRequest("metadata.managedFields must be nil");
}

function checkForm(input: ApplyInput): void {
  const { applied } = input;
  const faults = describeTypeFaults(typeOfKind(input.node), applied);
  if (faults === undefined) return;
  throw plainError(`failed to create typed patch object (${describeObject(applied)}): ${faults}`);
}

/** As errors name a configuration: its namespace and name as it gives them, and its type. */
export function describeObject(object: Readonly<Partial<KubeObject>>): string {
  const { namespace = "", name = "" } = object.metadata ?? {};
  return `${namespace}/${name}; ${describeKind(object)}`;
}

export function describeKind({ apiVersion, kind }: Readonly<Partial<KubeObject>>): string {
  const version = typeof apiVersion === "string" && apiVersion.split("/").length < 3 ? apiVersion : "";
  const groupVersion = version.includes("/") ? version : `/${version}`;
  return `${groupVersion}, Kind=${typeof kind === "string" ? kind : ""}`;
}

/** The entries of the live object. What it has without anybody being known to own it was there before. */
function* entriesBefore(input: ApplyInput, live: Readonly<KubeObject>): Steps<ManagedEntries> {
  const entries = decodeStoredEntries(live.metadata.managedFields);
  if (entries.size > 0 || input.live === undefined) return entries;
  const writer: Writer = { ...input, manager: "before-first-apply" };
  try {
    return yield* recordUpdate(entries, new Change(writer, emptyLive(input.node), live), writer);
  } catch (error) {
    if (!(error instanceof ListItemError)) throw error;
    const faults = describeTypeFaults(typeOfKind(input.node), live);
    throw plainError(
      `failed to create manager for existing fields: failed to convert new object (${describeObject(live)}) to smd typed: ${faults}`,
    );
  }
}

function refuseConflicts(
  conflicts: readonly Conflict[],
  live: Readonly<KubeObject>,
  { manager, node, apiVersion }: ApplyInput,
): void {
  if (conflicts.length === 0) return;
  const type = typeOfKind(node);
  const left =
    manager === KUBECTL ? conflictsBeyondLastApplied(conflicts, live, { type, apiVersion }) : conflicts;
  if (left.length > 0) throw conflictError(left);
}

/** The object with all of its metadata but managedFields, sharing nothing. */
function* detached(merged: KubeObject, { manager, applied, isLarge }: ApplyInput): Steps<KubeObject> {
  const object = isObject(merged.metadata) ? merged : { ...merged, metadata: {} };
  const told = manager === KUBECTL ? updateLastApplied(object, applied) : object;
  return yield* cloneByStepsIf(isLarge, withManagedFields(told, undefined));
}

/** What one manager owns. */
interface Holding {
  /** Before it applied; undefined: it never has. */
  readonly last: ManagedEntry | undefined;
  readonly now: ManagedEntry;
}

/**
 * The merged object without what the manager has let go: fields that it applied the last time, does not apply now, and
 * nobody else owns. `entries` already hold what it owns now. A declared field goes
 * with its last part, a key of a map likewise.
 */
function pruneReleased(
  merged: unknown,
  entries: ManagedEntries,
  { last, now }: Holding,
  writer: Writer,
): unknown {
  if (last === undefined || isEmpty(last.fields)) return merged;
  // Most configurations name what they named before, and nothing is let go.
  if (now.apiVersion === last.apiVersion && contains(now.fields, last.fields)) return merged;
  const type = typeAt(writer, last.apiVersion);
  if (type === undefined) return merged;
  const lastFields = withParents(type, last.fields);
  const owned = ownedByVersion(entries);
  // The version of the last configuration comes first: what was removed was removed in its terms.
  const versions = [...owned.keys()].sort(
    (a, b) => Number(b === last.apiVersion) - Number(a === last.apiVersion),
  );
  let pruned = removeFields(type, merged, lastFields);
  for (const version of versions) {
    const typeThere = typeAt(writer, version);
    const ownedThere = owned.get(version);
    if (typeThere === undefined || ownedThere === undefined) continue;
    pruned = addBackOwned(typeThere, merged, pruned, ownedThere);
  }
  const gone = difference(allIn(type, merged), allIn(type, pruned));
  return removeFields(type, merged, intersection(gone, lastFields));
}

/** The union of what managers own, by version. */
function ownedByVersion(entries: ManagedEntries): Map<string, FieldSet> {
  const owned = new Map<string, FieldSet>();
  for (const { apiVersion, fields } of entries.values()) {
    const known = owned.get(apiVersion);
    owned.set(apiVersion, known === undefined ? fields : union(known, fields));
  }
  return owned;
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
