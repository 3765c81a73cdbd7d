// Who owns which field of an object: the two ways in. trackUpdate follows creations, replacements and plain patches;
// applyPatch is server-side apply (KEP-555). Neither changes what it is given.
import { cloneJson, equalJson, isObject } from "../../meta/json.ts";
import type { KubeObject, ManagedFieldsEntry } from "../../meta/object-meta.ts";
import { badRequest, plainError } from "../../meta/status.ts";
import { conflictError } from "./conflict-error.ts";
import { emptyLive } from "./empty-live.ts";
import { isEmpty, recursiveDifference } from "./fields/field-set.ts";
import { conflictsBeyondLastApplied, KUBECTL, updateLastApplied } from "./last-applied.ts";
import {
  decodeEntries,
  decodeStoredEntries,
  encodeEntries,
  identityOf,
  isReset,
  type ManagedEntries,
  withManagedFields,
} from "./managed-entries.ts";
import { findConflicts, followSchemas, giveUpChanged, withFields, withoutMetadata } from "./merge.ts";
import { pruneReleased } from "./prune.ts";
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

export interface UpdateInput extends Writer {
  /** The object as it is; undefined when this write creates it. */
  readonly live: Readonly<KubeObject> | undefined;
  /** The object as it will be, in the version of the request, defaulted and pruned. */
  readonly next: Readonly<KubeObject>;
}

/** The next object with managedFields as this write leaves them. */
export function trackUpdate(input: UpdateInput): KubeObject {
  const { live, next } = input;
  const stored = live?.metadata.managedFields;
  try {
    if (live === undefined) {
      const change = changeBy(input, emptyLive(input.node), next);
      return withManagedFields(next, encodeEntries(recordUpdate(new Map(), change, input)));
    }
    const given = input.subresource ? undefined : givenEntries(next, stored);
    // An object that nobody has been tracked for stays untracked until the first apply.
    if ((given?.size ?? stored?.length ?? 0) === 0) return withManagedFields(next, undefined);
    const change = changeBy(input, live, next);
    if (given === undefined && change.nothing && knowsVersions(input, stored)) {
      return withManagedFields(next, stored);
    }
    const updated = recordUpdate(given ?? decodeStoredEntries(stored), change, input);
    return withManagedFields(next, encodeEntries(updated));
  } catch (error) {
    // Such an object cannot be followed, and validation will refuse it.
    if (error instanceof ListItemError) return withManagedFields(next, stored);
    throw error;
  }
}

/** False if an entry has to go because its version is gone. */
function knowsVersions(input: UpdateInput, stored: readonly ManagedFieldsEntry[] | undefined): boolean {
  const typeAt = typesOfWrite(input);
  return stored?.every(({ apiVersion }) => typeAt(apiVersion ?? "") !== undefined) ?? true;
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
 * was given. Throws 400 for a configuration of another kind or with managedFields, 500 for one that does not fit the
 * schema (as a real server does), 409 for conflicts.
 */
export function applyPatch(input: ApplyInput): { object: KubeObject } {
  const { live, applied, apiVersion, kind } = input;
  checkConfiguration(input);
  const outcome = applyOver(live ?? { apiVersion, kind, metadata: {} }, input);
  let object = outcome.object as KubeObject; // merged from objects of the kind
  if (!isObject(object.metadata)) object = { ...object, metadata: {} };
  if (input.manager === KUBECTL) object = updateLastApplied(object, applied);
  return { object: cloneJson(withManagedFields(object, encodeEntries(outcome.entries))) };
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
function entriesBeforeApply(live: Readonly<KubeObject>, input: ApplyInput): ManagedEntries {
  const entries = decodeStoredEntries(live.metadata.managedFields);
  if (entries.size > 0 || input.live === undefined) return entries;
  const writer: Writer = { ...input, manager: "before-first-apply" };
  return recordUpdate(entries, changeBy(writer, emptyLive(input.node), live), writer);
}

interface ApplyOutcome {
  readonly object: unknown;
  readonly entries: ManagedEntries;
}

function applyOver(live: Readonly<KubeObject>, input: ApplyInput): ApplyOutcome {
  try {
    return mergeApplied(live, entriesBeforeApply(live, input), input);
  } catch (error) {
    if (!(error instanceof ListItemError)) throw error;
    throw plainError(`failed to create typed live object (${describeObject(live)}): ${error.message}`);
  }
}

function mergeApplied(live: Readonly<KubeObject>, before: ManagedEntries, input: ApplyInput): ApplyOutcome {
  const { applied, apiVersion } = input;
  const type = typeOfWrite(input);
  const typeAt = typesOfWrite(input);
  const manager = managerOf(input, "Apply");
  const self = identityOf(manager);
  const entries = followSchemas(before, typeAt);
  const last = entries.get(self);
  const fields = recursiveDifference(appliedFields(type, applied), ignoredFields(input));
  const now = { ...manager, fields, time: last?.time };
  entries.set(self, now);
  const object = pruneReleased(mergeValues(type, live, applied), entries, { last, now }, typeAt);
  const change = changeBy(input, live, object);
  if (!input.force) {
    const conflicts = findConflicts(entries, change, self);
    const left =
      input.manager === KUBECTL && conflicts.length > 0
        ? conflictsBeyondLastApplied(conflicts, live, { type, apiVersion })
        : conflicts;
    if (left.length > 0) throw conflictError(left);
  }
  const kept = giveUpChanged(entries, change, self);
  const own = kept.get(self);
  if (own !== undefined) {
    const owned = withFields(own, withoutMetadata(own.fields));
    if (isEmpty(owned.fields)) kept.delete(self);
    // An apply that changes nothing leaves no time, not even at its first entry.
    else kept.set(self, equalJson(live, object) ? owned : { ...owned, time: input.nowText });
  }
  return { object, entries: kept };
}
