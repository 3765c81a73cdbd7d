// Server-side apply (KEP-555) as a sequence of steps. For large objects the caller yields to the event loop between them.

import { equalJson, isObject } from "../../json/json.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import { badRequest, plainError, StatusError } from "../../meta/status.ts";
import { cloneByStepsIf } from "../../scheduling/clone-steps.ts";
import { type Coroutine, runSync, runYielding } from "../../scheduling/coroutine.ts";
import { type Conflict, conflictError, findConflicts } from "./conflicts.ts";
import { type FieldSet, isEmpty, recursiveDifference } from "./fields/field-set.ts";
import { conflictsBeyondLastApplied, KUBECTL, updateLastApplied } from "./last-applied.ts";
import {
  decodeStoredEntries,
  encodeEntries,
  identityOf,
  type ManagedEntries,
  type ManagedEntry,
  withManagedFields,
} from "./managed-entries.ts";
import { type Holding, pruneReleased, withoutConversion } from "./prune.ts";
import { followSchemas, recordUpdate, removeChangedFields, withoutMetadata } from "./track-update.ts";
import { describeTypeFaults } from "./typed/check.ts";
import { mergeValues } from "./typed/merge.ts";
import { appliedFields, ListItemError } from "./typed/owned-fields.ts";
import { typeOfKind } from "./typed/type-node.ts";
import { Change, emptyLive, ignoredFields, managerOf, type Writer } from "./writer.ts";

export interface ApplyInput extends Writer {
  /** The live object; undefined when this apply creates it. */
  readonly live: Readonly<KubeObject> | undefined;
  /** The applied configuration as decoded, not validated: metadata may be missing. */
  readonly applied: Readonly<Partial<KubeObject>>;
  /** Kind that the configuration must have. */
  readonly kind: string;
  /** Takes over conflicting fields of other managers. */
  readonly force: boolean;
  /** The merged object as returned by `pruneInVersions`; left out: versions differ in their apiVersion only. */
  readonly pruned?: { readonly object: unknown } | undefined;
}

/**
 * The live object with the configuration applied, without defaulting or pruning by the schema. The result shares only
 * unchanged managedFields entries with the input. Throws 400 for a configuration of another kind or with managedFields,
 * 500 for one that does not fit the schema (as upstream), 409 for conflicts.
 */
export const applyPatch = (input: ApplyInput): KubeObject => runSync(apply(input));

/** The same, yielding to the event loop after each step. */
export const applyPatchInTurns = (input: ApplyInput): Promise<KubeObject> => runYielding(apply(input));

/**
 * Removes the fields that the manager no longer applies, for kinds whose versions differ. `convert` returns an object at
 * a version and may reject with a StatusError. Throws what `applyPatch` throws before it detects conflicts.
 */
export async function pruneInVersions(
  input: ApplyInput,
  convert: (object: Readonly<KubeObject>, apiVersion: string) => Promise<Readonly<KubeObject>>,
): Promise<{ readonly object: unknown }> {
  const { entries, holding, merged } = runSync(withLive(input, mergeApplied));
  const start = withManagedFields(merged as KubeObject, undefined); // merged from objects of the kind
  const steps = pruneReleased(start, entries, holding, input);
  let next = steps.next();
  while (!next.done) {
    const { object, apiVersion, failure } = next.value;
    next = steps.next(await convert(object as KubeObject, apiVersion).catch(failedTo(failure)));
  }
  return { object: next.value };
}

const failedTo =
  (what: string) =>
  (error: unknown): never => {
    if (!(error instanceof StatusError)) throw error;
    throw plainError(`failed to prune fields: ${what}: ${error.message}`);
  };

const apply = (input: ApplyInput): Coroutine<KubeObject> => withLive(input, applyTo);

/** Runs the steps on the live object, or on an empty one. */
function* withLive<T>(
  input: ApplyInput,
  act: (live: Readonly<KubeObject>, input: ApplyInput) => Coroutine<T>,
): Coroutine<T> {
  const { apiVersion, kind } = input;
  const live = input.live ?? { apiVersion, kind, metadata: {} };
  try {
    return yield* act(live, input);
  } catch (error) {
    if (!(error instanceof ListItemError)) throw error;
    throw plainError(`failed to create typed live object (${describeObject(live)}): ${error.message}`);
  }
}

/** State of an apply before fields are removed. */
interface Merge {
  readonly self: string;
  readonly fields: FieldSet;
  readonly holding: Holding;
  readonly entries: Map<string, ManagedEntry>;
  readonly merged: unknown;
}

function* mergeApplied(live: Readonly<KubeObject>, input: ApplyInput): Coroutine<Merge> {
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
  return { self, fields, holding: { last, now }, entries, merged };
}

function* applyTo(live: Readonly<KubeObject>, input: ApplyInput): Coroutine<KubeObject> {
  const { self, fields, holding, entries, merged } = yield* mergeApplied(live, input);
  const { now } = holding;
  yield;
  const { object } = input.pruned ?? {
    object: withoutConversion(pruneReleased(merged, entries, holding, input)),
  };
  yield;
  const change = new Change(input, live, object);
  yield;
  if (!input.force) refuseConflicts(findConflicts(entries, change, self), live, input);
  yield;
  const kept = removeChangedFields(entries, change, self);
  yield;
  const owned = { ...now, fields: withoutMetadata(fields) };
  if (isEmpty(owned.fields)) kept.delete(self);
  // An apply without changes sets no time, not even on its first entry.
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

/** A configuration as errors name it: its own namespace and name, and its type. */
export function describeObject(object: Readonly<Partial<KubeObject>>): string {
  const { namespace = "", name = "" } = object.metadata ?? {};
  return `${namespace}/${name}; ${describeKind(object)}`;
}

export function describeKind({ apiVersion, kind }: Readonly<Partial<KubeObject>>): string {
  const version = typeof apiVersion === "string" && apiVersion.split("/").length < 3 ? apiVersion : "";
  const groupVersion = version.includes("/") ? version : `/${version}`;
  return `${groupVersion}, Kind=${typeof kind === "string" ? kind : ""}`;
}

/**
 * Entries of the live object. Fields of an object without managedFields are recorded for the manager
 * "before-first-apply".
 */
function* entriesBefore(input: ApplyInput, live: Readonly<KubeObject>): Coroutine<ManagedEntries> {
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

/** A copy of the object with all metadata except managedFields. */
function* detached(merged: KubeObject, { manager, applied, isLarge }: ApplyInput): Coroutine<KubeObject> {
  const object = isObject(merged.metadata) ? merged : { ...merged, metadata: {} };
  const told = manager === KUBECTL ? updateLastApplied(object, applied) : object;
  return yield* cloneByStepsIf(isLarge, withManagedFields(told, undefined));
}
