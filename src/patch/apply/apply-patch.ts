// Server-side apply (KEP-555), as a list of steps: others can have their turn between them where the object is large.
import { cloneJson, equalJson, isObject } from "../../meta/json.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import { badRequest, plainError } from "../../meta/status.ts";
import { conflictError } from "./conflict-error.ts";
import { emptyLive } from "./empty-live.ts";
import { isEmpty, recursiveDifference } from "./fields/field-set.ts";
import { conflictsBeyondLastApplied, KUBECTL, updateLastApplied } from "./last-applied.ts";
import {
  decodeStoredEntries,
  encodeEntries,
  identityOf,
  type ManagedEntries,
  type ManagedEntry,
  type Manager,
  withManagedFields,
} from "./managed-entries.ts";
import {
  type Change,
  findConflicts,
  followSchemas,
  giveUpChanged,
  withFields,
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
 * was given but entries of managedFields that stay. Throws 400 for a configuration of another kind or with managedFields, 500 for one that does not fit the
 * schema (as a real server does), 409 for conflicts.
 */
export function applyPatch(input: ApplyInput): { object: KubeObject } {
  const apply = begin(input);
  for (const step of STEPS) take(step, apply);
  return { object: apply.object as KubeObject }; // merged from objects of the kind
}

/** The same, with a pause after each step. */
export async function applyPatchInTurns(
  input: ApplyInput,
  pause: () => Promise<void> | undefined,
): Promise<{ object: KubeObject }> {
  const apply = begin(input);
  for (const step of STEPS) {
    take(step, apply);
    await pause();
  }
  return { object: apply.object as KubeObject }; // as above
}

/** What steps leave to those that follow. */
interface Apply {
  readonly input: ApplyInput;
  readonly live: Readonly<KubeObject>;
  readonly manager: Manager;
  readonly self: string;
  entries: ManagedEntries;
  /** What the manager owned before; undefined: it has never applied. */
  last: ManagedEntry | undefined;
  /** What becomes of the live object. */
  object: unknown;
  change: Change | undefined;
}

const STEPS: readonly ((apply: Apply) => void)[] = [
  checkConfiguration,
  readEntries,
  claimFields,
  mergeConfiguration,
  dropReleased,
  compareWithLive,
  refuseConflicts,
  takeFromOthers,
  keepOwn,
  detach,
  writeEntries,
];

function begin(input: ApplyInput): Apply {
  const { live, apiVersion, kind } = input;
  const object = live ?? { apiVersion, kind, metadata: {} };
  const manager = managerOf(input, "Apply");
  const self = identityOf(manager);
  return {
    input,
    live: object,
    manager,
    self,
    entries: new Map(),
    last: undefined,
    object,
    change: undefined,
  };
}

function take(step: (apply: Apply) => void, apply: Apply): void {
  try {
    step(apply);
  } catch (error) {
    if (!(error instanceof ListItemError)) throw error;
    throw plainError(`failed to create typed live object (${describeObject(apply.live)}): ${error.message}`);
  }
}

function checkConfiguration({ input }: Apply): void {
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
function readEntries(apply: Apply): void {
  const { input, live } = apply;
  let entries = decodeStoredEntries(live.metadata.managedFields);
  if (entries.size === 0 && input.live !== undefined) {
    const writer: Writer = { ...input, manager: "before-first-apply" };
    entries = recordUpdate(entries, changeBy(writer, emptyLive(input.node), live), writer);
  }
  apply.entries = followSchemas(entries, typesOfWrite(input));
}

function claimFields(apply: Apply): void {
  const { input, entries, manager, self } = apply;
  apply.last = entries.get(self);
  const fields = recursiveDifference(appliedFields(typeOfWrite(input), input.applied), ignoredFields(input));
  entries.set(self, { ...manager, fields, time: apply.last?.time });
}

function mergeConfiguration(apply: Apply): void {
  const { input, live } = apply;
  apply.object = mergeValues(typeOfWrite(input), live, input.applied);
}

function dropReleased(apply: Apply): void {
  const { input, object, entries, last, self } = apply;
  const now = entries.get(self);
  if (now !== undefined) apply.object = pruneReleased(object, entries, { last, now }, typesOfWrite(input));
}

function compareWithLive(apply: Apply): void {
  apply.change = changeBy(apply.input, apply.live, apply.object);
}

function refuseConflicts({ input, live, entries, self, change }: Apply): void {
  if (input.force || change === undefined) return;
  const conflicts = findConflicts(entries, change, self);
  const left =
    input.manager === KUBECTL && conflicts.length > 0
      ? conflictsBeyondLastApplied(conflicts, live, {
          type: typeOfWrite(input),
          apiVersion: input.apiVersion,
        })
      : conflicts;
  if (left.length > 0) throw conflictError(left);
}

function takeFromOthers(apply: Apply): void {
  if (apply.change !== undefined) apply.entries = giveUpChanged(apply.entries, apply.change, apply.self);
}

function keepOwn({ input, live, object, entries, self }: Apply): void {
  const own = entries.get(self);
  if (own === undefined) return;
  const owned = withFields(own, withoutMetadata(own.fields));
  if (isEmpty(owned.fields)) entries.delete(self);
  // An apply that changes nothing leaves no time, not even at its first entry.
  else entries.set(self, equalJson(live, object) ? owned : { ...owned, time: input.nowText });
}

function detach(apply: Apply): void {
  const { input } = apply;
  let object = apply.object as KubeObject; // merged from objects of the kind
  if (!isObject(object.metadata)) object = { ...object, metadata: {} };
  if (input.manager === KUBECTL) object = updateLastApplied(object, input.applied);
  apply.object = cloneJson(withManagedFields(object, undefined));
}

function writeEntries(apply: Apply): void {
  const managedFields = encodeEntries(apply.entries, apply.input.isLarge);
  if (managedFields !== undefined) (apply.object as KubeObject).metadata.managedFields = managedFields; // as detached
}
