// Coroutine shared by PUT, patch and apply: read, change, validate, commit with the expected revision. On a conflict with a
// concurrent write the change is retried on the fresh object (optimistic concurrency).

import { cloneJson } from "../../../apimachinery/json/json.ts";
import { invalid } from "../../../apimachinery/meta/field-error.ts";
import type { KubeObject } from "../../../apimachinery/meta/object-meta.ts";
import { conflict, invalidObject, MODIFIED } from "../../../apimachinery/meta/status.ts";
import { keepTimesOfNoop } from "../../../apimachinery/patch/apply/managed-entries.ts";
import { ownTurn } from "../../../apimachinery/scheduling/event-loop.ts";
import { jobOwner } from "../../../apimachinery/workers/job.ts";
import type { KeyValue } from "../../../storage/store.ts";
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

/** Address, endpoint and request context of a write. */
export interface Write {
  readonly address: ObjectAddress;
  /** "" for the object itself. */
  readonly subresource: string;
  readonly context: RequestContext;
}

/** A write that changes an object. */
export interface Change extends Write {
  /** uid precondition; undefined and "" match any object. */
  readonly uid?: string | undefined;
  /** An apply keeps managedFields whatever the size of the object. */
  readonly keepsManagers?: boolean;
  /**
   * Returns the new object with managedFields, in the endpoint's kind (Scale at /scale). Must not change the live object;
   * the result is changed and kept.
   */
  next(live: Readonly<KubeObject>, context: RequestContext): Promise<KubeObject>;
  /** Creates the object where none exists; left out: a 404 is returned. */
  readonly make?: (() => Promise<KubeObject>) | undefined;
}

/** The live object of a change. */
interface LiveObject {
  readonly kv: KeyValue;
  /** Decoded in the version of the request. Must not be changed. */
  readonly object: Readonly<KubeObject>;
  /** Context of the request; isLarge is set for a small change of a large object, too. */
  readonly context: RequestContext;
}

/** Updates or creates an object. Rejects with a StatusError. */
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

/** Reads the live object; undefined: it does not exist. Throws 409 where its uid differs from the expected one. */
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

/**
 * Validates and commits the changed object. Rejects with a StatusError, and with a StoreError on a conflict with a
 * concurrent write.
 */
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
 * Admission at /scale sees Scale objects. Mutating admission sees the managedFields of the write; validating admission
 * sees those of the object.
 */
function scaleAdmission(view: ResourceView, old: Readonly<KubeObject>) {
  const posted = endpointOf(view, "scale").view;
  return {
    before: { posted, oldObject: scaleToChange(view, old) },
    after: { posted, oldObject: scaleAfter(view, old) },
  };
}

/** Returns on a conflict, so that the caller retries the write. Throws all other errors as a StatusError. */
export function startOver(error: unknown, { view, name }: ObjectAddress): void {
  if (!lostRace(error)) throw toStatusError(error, view.definition, name);
}

/** Preconditions of a write; absent members match anything. */
export interface Meant {
  readonly uid?: string;
  readonly resourceVersion?: string;
}

/**
 * Updates a stored object on behalf of the server: without admission, strategy or validation. Throws 404, and 409 for a
 * failed precondition. Errors of change() go to the client.
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

/** Checks the preconditions. Throws 409 with the texts of upstream's store. */
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

/** Reports whether the write removes the object: its deletion has begun, and neither finalizers nor grace period hold it. */
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

// PUT: replaces the whole object, or the fields that a subresource covers.

export interface UpdateInput extends Write {
  /** Of the endpoint's kind. It is changed. */
  readonly decoded: DecodedObject;
}

/** Replaces an object, or creates it where its kind allows that on PUT. Rejects with a StatusError. */
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
