// Who owns which field of an object: follows creations, replacements and plain patches. Server-side apply stands in
// apply-patch.ts. Neither changes what it is given.
import { nextTurn } from "../../meta/clock.ts";
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
import type { Change } from "./manager-changes.ts";
import { limitUpdateManagers } from "./manager-limit.ts";
import { changeBy, giveUpWritten, takeFields, typesOfWrite, type Writer } from "./record-update.ts";
import { ListItemError } from "./typed/list-items.ts";

export interface UpdateInput extends Writer {
  /** The object as it is; undefined when this write creates it. */
  readonly live: Readonly<KubeObject> | undefined;
  /** The object as it will be, in the version of the request, defaulted and pruned. */
  readonly next: Readonly<KubeObject>;
}

/** The next object with managedFields as this write leaves them. */
export function trackUpdate(input: UpdateInput): KubeObject {
  const tracking = begin(input);
  for (const step of STEPS) {
    take(step, tracking);
    if (tracking.outcome !== undefined) break;
  }
  return tracking.outcome ?? input.next;
}

/** The same where much is written; others are answered between its steps. */
export async function trackUpdateInTurns(input: UpdateInput): Promise<KubeObject> {
  const tracking = begin(input);
  for (const step of STEPS) {
    take(step, tracking);
    if (tracking.outcome !== undefined) break;
    await nextTurn();
  }
  return tracking.outcome ?? input.next;
}

/** What steps leave to those that follow. */
interface Tracking {
  readonly input: UpdateInput;
  readonly stored: ManagedFieldsEntry[] | undefined;
  /** Those that the client has written count instead of those that are stored. */
  given: boolean;
  before: ManagedEntries;
  kept: ManagedEntries;
  change: Change | undefined;
  /** Once it is known; no step follows. */
  outcome: KubeObject | undefined;
}

const STEPS: readonly ((tracking: Tracking) => void)[] = [
  readGiven,
  compare,
  readStored,
  giveUp,
  takeWritten,
  writeEntries,
];

function begin(input: UpdateInput): Tracking {
  const stored = input.live?.metadata.managedFields;
  const none: ManagedEntries = new Map();
  return {
    input,
    stored,
    given: false,
    before: none,
    kept: none,
    change: undefined,
    outcome: undefined,
  };
}

function take(step: (tracking: Tracking) => void, tracking: Tracking): void {
  try {
    step(tracking);
  } catch (error) {
    if (!(error instanceof ListItemError)) throw error;
    // Such an object cannot be followed, and validation will refuse it.
    tracking.outcome = withManagedFields(tracking.input.next, tracking.stored);
  }
}

function readGiven(tracking: Tracking): void {
  const { input, stored } = tracking;
  if (input.live === undefined) return;
  const given = input.subresource ? undefined : givenEntries(input.next, stored);
  if (given !== undefined) Object.assign(tracking, { given: true, before: given });
  // An object that nobody has been tracked for stays untracked until the first apply.
  if ((given?.size ?? stored?.length ?? 0) === 0) tracking.outcome = withManagedFields(input.next, undefined);
}

function compare(tracking: Tracking): void {
  const { input, stored, given } = tracking;
  const change = changeBy(input, input.live ?? emptyLive(input.node), input.next);
  tracking.change = change;
  if (input.live !== undefined && !given && change.nothing && knowsVersions(input, stored)) {
    tracking.outcome = withManagedFields(input.next, stored);
  }
}

function readStored(tracking: Tracking): void {
  if (!tracking.given) tracking.before = decodeStoredEntries(tracking.stored);
}

function giveUp(tracking: Tracking): void {
  const { input, before, change } = tracking;
  if (change !== undefined) tracking.kept = giveUpWritten(before, change, input);
}

function takeWritten({ input, before, kept, change }: Tracking): void {
  if (change !== undefined) takeFields(kept, before, change, input);
}

function writeEntries(tracking: Tracking): void {
  const { input, kept } = tracking;
  const entries = encodeEntries(limitUpdateManagers(kept), input.isLarge);
  tracking.outcome = withManagedFields(input.next, entries);
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
