// What a PUT, a patch and an apply have in common: the object is read, changed, checked and committed with the expected
// revision. Who finds that somebody else was faster starts over on the fresh object.

import { invalid } from "../../meta/field-error.ts";
import { cloneJson } from "../../meta/json.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import { conflict, invalidObject, MODIFIED } from "../../meta/status.ts";
import { ownTurn } from "../../meta/turns.ts";
import { keepTimesOfNoop } from "../../patch/apply/managed-entries.ts";
import type { KeyValue } from "../../storage/store.ts";
import { jobOwner } from "../../workers/job.ts";
import { admit, admitFinal, commitCharged } from "../admission.ts";
import { atRevision, decodeStored } from "../codec/object-codec.ts";
import { acceptObject, type DecodedObject } from "../codec/object-decoder.ts";
import {
  type ObjectResult,
  readInVersion,
  readyToShow,
  storedOrder,
  toStoredForm,
} from "../codec/versions.ts";
import { LARGE_BYTES, type RequestContext } from "../definition/request-context.ts";
import type {
  ObjectAddress,
  ResourceDefinition,
  ResourceView,
  Strategy,
} from "../definition/resource-definition.ts";
import { createsOnUpdate, objectKey, strategyFor, strategyOf } from "../definition/view.ts";
import { absent } from "../read/absent.ts";
import type { RegistryDeps } from "../resource-registry.ts";
import { objectResourceVersion, toStatusError } from "../resource-version.ts";
import { changeThroughScale, scaleAfter, scaleToChange } from "../scale.ts";
import { commitObject, commitRemoval, lostRace } from "./commit.ts";
import { createMissing, type WriteResult } from "./create.ts";
import { nullEmptyLists, showEmptyLists } from "./empty-lists.ts";
import { endpointOf, trackWrite } from "./managed-fields.ts";
import {
  checkNameMatches,
  dropRepeatedOwners,
  placeInNamespace,
  prepareForUpdate,
  WriteClaims,
} from "./prepare.ts";
import { onSuggestedState } from "./suggested-state.ts";
import { validateWritten } from "./validate.ts";

/** What a write is about, and who asks for it. */
export interface Write {
  readonly address: ObjectAddress;
  /** "" for the object itself. */
  readonly subresource: string;
  readonly context: RequestContext;
}

/** A write that changes an object. */
export interface Change extends Write {
  /** Only an object with this uid is meant; undefined and "": any. */
  readonly uid?: string | undefined;
  /** An apply keeps managedFields however large the object is. */
  readonly keepsManagers?: boolean;
  /**
   * What the object is to become, with managedFields, as its writer sees it: at /scale, its Scale. Must not change the live
   * one; what it returns is changed and kept.
   */
  next(live: Readonly<KubeObject>, context: RequestContext): Promise<KubeObject>;
  /** A new object, where there is none; left out: that is a 404. */
  readonly make?: (() => Promise<KubeObject>) | undefined;
}

/** An object that is to be changed. */
interface LiveObject {
  readonly kv: KeyValue;
  /** In the version of the request. It must not be changed. */
  readonly object: Readonly<KubeObject>;
  /** Of the request; a small change of a large object is as much work as a large one. */
  readonly context: RequestContext;
}

/** Changes an object, or makes it. Rejects with a StatusError. */
export function changeObject(deps: RegistryDeps, change: Change): Promise<WriteResult> {
  return onSuggestedState(deps, change.context, () => tryToChange(deps, change));
}

async function tryToChange(deps: RegistryDeps, change: Change): Promise<WriteResult> {
  const { address, subresource, context, keepsManagers = false } = change;
  const { view, namespace, name } = address;
  for (;;) {
    try {
      const live = await readLive(deps, change);
      if (live !== undefined) {
        const shown = subresource === "scale" ? scaleToChange(view, live.object) : live.object;
        return await commitChange(deps, change, live, await change.next(shown, live.context));
      }
      const refusal = absent(deps.store, address);
      if (change.make === undefined || refusal.code !== 404) throw refusal;
      const object = await change.make();
      const missing = { view, namespace, name, object, context, subresource, keepsManagers };
      const created = await createMissing(deps, missing);
      if (created) return created;
    } catch (error) {
      startOver(error, address);
    }
  }
}

/** The object at the address; undefined: there is none. Throws 409 where another one of that name was meant. */
async function readLive(
  { store }: RegistryDeps,
  { address: { view, namespace, name }, context: asked, uid }: Change,
): Promise<LiveObject | undefined> {
  const kv = store.get(objectKey(view.definition, namespace, name));
  if (kv === undefined) return undefined;
  const object = await readInVersion(view, kv);
  if (uid) checkMeant(view.definition, kv, object, { uid });
  const isLarge = asked.isLarge === true || kv.value.length > LARGE_BYTES;
  const context = asked.isLarge === isLarge ? asked : { ...asked, isLarge };
  if (context.isLarge) await ownTurn();
  return { kv, object, context };
}

/** Checks and commits what the object has become. Rejects with a StatusError, and where somebody was faster with a StoreError. */
async function commitChange(
  deps: RegistryDeps,
  { address, subresource, keepsManagers }: Change,
  { kv, object: oldObject, context }: LiveObject,
  next: KubeObject,
): Promise<ObjectResult> {
  const { view, namespace, name } = address;
  if (context.isLarge) await ownTurn();
  placeInNamespace(view, next, namespace);
  const about = { operation: "UPDATE", view, subresource, namespace, name, oldObject, context } as const;
  const scale = subresource === "scale" ? scaleAdmission(view, oldObject) : undefined;
  await admit(deps, { ...about, ...scale?.before, object: next });
  const object = scale ? changeThroughScale(view, oldObject, next) : next;
  const strategy = strategyFor(view, subresource);
  checkResourceVersion(view, strategy, object, { kv, name });
  placeInNamespace(view, object, namespace); // mutating admission may have changed it
  const claims = new WriteClaims(deps.store, context);
  const emptyLists = nullEmptyLists(strategyOf(view), object);
  prepareForUpdate(view, strategy, object, oldObject, context, claims);
  if (context.isLarge) await ownTurn();
  const workers = deps.workers?.of(jobOwner(context.user));
  const { allowed } = deps;
  await validateWritten({ view, strategy, object, old: oldObject, context, workers, allowed });
  if (context.isLarge) await ownTurn();
  const settled = keepTimesOfNoop(oldObject, object);
  if (context.isLarge) await ownTurn();
  const shown = scale ? { ...scale.after, object: scaleAfter(view, settled) } : { object: settled };
  showEmptyLists(settled, emptyLists);
  await admitFinal(deps, { ...about, ...shown });
  nullEmptyLists(strategyOf(view), settled);
  if (readyToGo(strategyOf(view), settled, oldObject)) return removeNow(deps, view, kv, settled, context);
  const { dryRun, isLarge } = context;
  const order = storedOrder(view.definition);
  const { writesUnchanged } = strategyOf(view);
  const options = { dryRun, order, keepsManagers, isLarge, writesUnchanged };
  const stored = await toStoredForm(view, settled, { dryRun });
  const commit = () => commitObject(deps, kv, stored, { ...options, besides: claims.ops });
  return readyToShow(view, await commitCharged(deps, { ...about, object: settled }, claims, commit));
}

/**
 * What admission sees at /scale: Scales, as an endpoint's own kind. While they may still be changed they have the
 * managedFields of the write; when they are validated they are read from the object.
 */
function scaleAdmission(view: ResourceView, old: Readonly<KubeObject>) {
  const posted = endpointOf(view, "scale").view;
  return {
    before: { posted, oldObject: scaleToChange(view, old) },
    after: { posted, oldObject: scaleAfter(view, old) },
  };
}

/** Returns where somebody else was faster, so that the write starts over; throws what is to be told for anything else. */
export function startOver(error: unknown, { view, name }: ObjectAddress): void {
  if (!lostRace(error)) throw toStatusError(error, view.definition, name);
}

/** Which object, and which state of it; what is left out does not matter. */
export interface Meant {
  readonly uid?: string;
  readonly resourceVersion?: string;
}

/**
 * Changes the stored object as the server itself does it: without admission, strategy or validation. Throws 404, and 409
 * when it is not the object that was meant; what change() throws goes to the client.
 */
export async function modifyObject(
  deps: RegistryDeps,
  address: ObjectAddress,
  { dryRun }: RequestContext,
  meant: Meant,
  change: (object: KubeObject) => void,
): Promise<void> {
  const { definition } = address.view;
  for (;;) {
    const kv = deps.store.get(objectKey(definition, address.namespace, address.name));
    if (kv === undefined) throw absent(deps.store, address);
    const next: KubeObject = cloneJson(decodeStored(kv));
    checkMeant(definition, kv, next, meant);
    change(next);
    try {
      await commitObject(deps, kv, next, { dryRun, order: storedOrder(definition) });
      return;
    } catch (error) {
      startOver(error, address);
    }
  }
}

/** Throws 409 when the stored object is not the one that is meant, in the words of a real server's store. */
function checkMeant(
  definition: ResourceDefinition,
  { key }: { readonly key: string },
  { metadata }: Readonly<KubeObject>,
  meant: Meant,
): void {
  const found = (what: string, wanted: string, there: string | undefined) =>
    `StorageError: invalid object, Code: 4, Key: ${key}, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: ${what} in precondition: ${wanted}, ${what} in object meta: ${there}`;
  const { uid, resourceVersion, name = "" } = metadata;
  if (meant.uid !== undefined && meant.uid !== uid) {
    throw conflict(definition, name, found("UID", meant.uid, uid));
  }
  if (meant.resourceVersion !== undefined && meant.resourceVersion !== resourceVersion) {
    throw conflict(definition, name, found("ResourceVersion", meant.resourceVersion, resourceVersion));
  }
}

function checkResourceVersion(
  { definition }: ResourceView,
  strategy: Strategy,
  object: KubeObject,
  { kv, name }: { readonly kv: KeyValue; readonly name: string },
): void {
  const wanted = objectResourceVersion(object.metadata.resourceVersion);
  if (wanted === 0) {
    if (strategy.allowUnconditionalUpdate) {
      object.metadata.resourceVersion = String(kv.modRevision);
      return;
    }
    const error = invalid("metadata.resourceVersion", 0, "must be specified for an update");
    throw invalidObject({ group: definition.group, kind: definition.resource }, name, [error]);
  }
  if (wanted !== kv.modRevision) throw conflict(definition, name, MODIFIED);
}

/** An object under deletion that nothing holds any more goes with the write that lets it go. */
function readyToGo(strategy: Strategy, object: KubeObject, live: Readonly<KubeObject>): boolean {
  const { deletionTimestamp, deletionGracePeriodSeconds = 0 } = live.metadata;
  return (
    Boolean(deletionTimestamp) &&
    deletionGracePeriodSeconds === 0 &&
    (object.metadata.finalizers ?? []).length === 0 &&
    strategy.holdsDeletion?.(object) !== true
  );
}

async function removeNow(
  deps: RegistryDeps,
  view: ResourceView,
  kv: KeyValue,
  object: KubeObject,
  context: RequestContext,
): Promise<ObjectResult> {
  if (!context.dryRun) await commitRemoval(deps, view, kv, decodeStored(kv), context);
  return { type: "bare", object: atRevision(object, kv.modRevision) };
}

// PUT: the whole object, or what a subresource shows of it, in the place of the stored one.

export interface UpdateInput extends Write {
  /** Of the kind that the endpoint shows. It is changed. */
  readonly decoded: DecodedObject;
}

/** Replaces an object, or makes it where its kind lets a PUT do so. Rejects with a StatusError. */
export async function updateObject(
  deps: RegistryDeps,
  { address, subresource, decoded, context }: UpdateInput,
): Promise<WriteResult> {
  const { view, namespace, name } = address;
  const endpoint = endpointOf(view, subresource);
  const object = acceptObject(endpoint.view, decoded, context);
  placeInNamespace(endpoint.view, object, namespace);
  checkNameMatches(object, name);
  dropRepeatedOwners(object, context, "request");
  const track = (live: Readonly<KubeObject> | undefined, asked: RequestContext): Promise<KubeObject> => {
    const next = cloneJson(object);
    return trackWrite({ endpoint, live, next, context: asked });
  };
  const { uid } = object.metadata;
  const make = createsOnUpdate(view, subresource) ? () => track(undefined, context) : undefined;
  return changeObject(deps, { address, subresource, context, uid, next: track, make });
}
