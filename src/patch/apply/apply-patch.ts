// Server-side apply (KEP-555), as a list of steps: others can have their turn between them where the object is large.
import { cloneJson, equalJson, isObject } from "../../meta/json.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import { badRequest, plainError } from "../../meta/status.ts";
import { atOnce, inTurns, type Steps } from "../../meta/steps.ts";
import { conflictError } from "./conflict-error.ts";
import { emptyLive } from "./empty-live.ts";
import { isEmpty, recursiveDifference } from "./fields/field-set.ts";
import { conflictsBeyondLastApplied, KUBECTL, updateLastApplied } from "./last-applied.ts";
import {
  decodeStoredEntries,
  encodeEntries,
  identityOf,
  type ManagedEntries,
  withManagedFields,
} from "./managed-entries.ts";
import {
  type Conflict,
  findConflicts,
  followSchemas,
  giveUpChanged,
  withoutMetadata,
} from "./manager-changes.ts";
import { pruneReleased } from "./prune-released.ts";
import {
  changeBy,
  ignoredFields,
  managerOf,
  recordUpdate,
  typeOfWrite,
  typesOfWrite,
  type Writer,
} from "./record-update.ts";
import { describeTypeFaults } from "./typed/check.ts";
import { ListItemError } from "./typed/list-items.ts";
import { mergeValues } from "./typed/merge.ts";
import { appliedFields } from "./typed/owned-fields.ts";
import { typeOfKind } from "./typed/type-node.ts";

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
  const [type, typeAt] = [typeOfWrite(input), typesOfWrite(input)];
  checkConfiguration(input);
  yield;
  const entries = followSchemas(entriesBefore(input, live), typeAt);
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
  const object = pruneReleased(merged, entries, { last, now }, typeAt);
  yield;
  const change = changeBy(input, live, object);
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
  const next = detached(object as KubeObject, input); // merged from objects of the kind
  yield;
  const managedFields = encodeEntries(kept, input.isLarge);
  if (managedFields !== undefined) next.metadata.managedFields = managedFields;
  yield;
  return next;
}

function checkConfiguration(input: ApplyInput): void {
  const { applied, apiVersion, kind } = input;
  if (applied.apiVersion !== apiVersion || applied.kind !== kind) {
    throw badRequest(`invalid object type: ${describeKind(applied)}`);
  }
  if (Array.isArray(applied.metadata?.managedFields)) throw badRequest("metadata.managedFields must be nil");
  const faults = describeTypeFaults(typeOfWrite(input), applied);
  if (faults === undefined) return;
  throw plainError(`failed to create typed patch object (${describeObject(applied)}): ${faults}`);
}

function describeObject(object: Readonly<Partial<KubeObject>>): string {
  const { namespace = "", name = "" } = object.metadata ?? {};
  return `${namespace}/${name}; ${describeKind(object)}`;
}

function describeKind({ apiVersion, kind }: Readonly<Partial<KubeObject>>): string {
  const version = typeof apiVersion === "string" && apiVersion.split("/").length < 3 ? apiVersion : "";
  const groupVersion = version.includes("/") ? version : `/${version}`;
  return `${groupVersion}, Kind=${typeof kind === "string" ? kind : ""}`;
}

/** The entries of the live object. What it has without anybody being known to own it was there before. */
function entriesBefore(input: ApplyInput, live: Readonly<KubeObject>): ManagedEntries {
  const entries = decodeStoredEntries(live.metadata.managedFields);
  if (entries.size > 0 || input.live === undefined) return entries;
  const writer: Writer = { ...input, manager: "before-first-apply" };
  return recordUpdate(entries, changeBy(writer, emptyLive(input.node), live), writer);
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
function detached(merged: KubeObject, { manager, applied }: ApplyInput): KubeObject {
  const object = isObject(merged.metadata) ? merged : { ...merged, metadata: {} };
  const told = manager === KUBECTL ? updateLastApplied(object, applied) : object;
  return cloneJson(withManagedFields(told, undefined));
}
