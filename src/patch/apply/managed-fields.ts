// Who owns which field of an object: follows creations, replacements and plain patches. Server-side apply stands in
// apply-patch.ts. Neither changes what it is given.
import { equalJson } from "../../meta/json.ts";
import type { KubeObject, ManagedFieldsEntry } from "../../meta/object-meta.ts";
import { emptyLive } from "./empty-live.ts";
import {
  decodeEntries,
  decodeStoredEntries,
  encodeEntries,
  isReset,
  type ManagedEntries,
  withManagedFields,
} from "./managed-entries.ts";
import { changeBy, recordUpdate, typesOfWrite, type Writer } from "./record-update.ts";
import { ListItemError } from "./typed/list-items.ts";

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
      return withManagedFields(next, encodeEntries(recordUpdate(new Map(), change, input), input.isLarge));
    }
    const given = input.subresource ? undefined : givenEntries(next, stored);
    // An object that nobody has been tracked for stays untracked until the first apply.
    if ((given?.size ?? stored?.length ?? 0) === 0) return withManagedFields(next, undefined);
    const change = changeBy(input, live, next);
    if (given === undefined && change.nothing && knowsVersions(input, stored)) {
      return withManagedFields(next, stored);
    }
    const updated = recordUpdate(given ?? decodeStoredEntries(stored), change, input);
    return withManagedFields(next, encodeEntries(updated, input.isLarge));
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
