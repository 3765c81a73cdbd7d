// Who owns which field of an object: follows creations, replacements and plain patches. Server-side apply stands in
// apply-patch.ts. Neither changes what it is given.
import { equalJson } from "../../meta/json.ts";
import type { KubeObject, ManagedFieldsEntry } from "../../meta/object-meta.ts";
import { atOnce, inTurns, type Steps } from "../../meta/steps.ts";
import {
  decodeEntries,
  decodeStoredEntries,
  encodeEntries,
  isReset,
  type ManagedEntries,
  withManagedFields,
} from "./managed-entries.ts";
import { giveUpWritten, limitUpdateManagers, takeFields } from "./manager-changes.ts";
import { ListItemError } from "./typed/owned-fields.ts";
import { Change, emptyLive, typeAt, type Writer } from "./writer.ts";

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
  try {
    return withManagedFields(input.next, yield* entriesAfter(input, stored));
  } catch (error) {
    if (!(error instanceof ListItemError)) throw error;
    // Such an object cannot be followed, and validation will refuse it.
    return withManagedFields(input.next, stored);
  }
}

function* entriesAfter(
  input: UpdateInput,
  stored: ManagedFieldsEntry[] | undefined,
): Steps<ManagedFieldsEntry[] | undefined> {
  const { live, next } = input;
  const given = live === undefined || input.subresource ? undefined : givenEntries(next, stored);
  // An object that nobody has been tracked for stays untracked until the first apply.
  if (live !== undefined && (given?.size ?? stored?.length ?? 0) === 0) return undefined;
  yield;
  const change = new Change(input, live ?? emptyLive(input.node), next);
  if (live !== undefined && given === undefined && change.nothing && knowsVersions(input, stored))
    return stored;
  yield;
  const before = given ?? decodeStoredEntries(stored);
  yield;
  const kept = giveUpWritten(before, change, input);
  yield;
  takeFields(kept, before, change, input);
  yield;
  return encodeEntries(limitUpdateManagers(kept), input.isLarge);
}

/** False if an entry has to go because its version is gone. */
function knowsVersions(input: UpdateInput, stored: readonly ManagedFieldsEntry[] | undefined): boolean {
  return stored?.every(({ apiVersion }) => typeAt(input, apiVersion ?? "") !== undefined) ?? true;
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
