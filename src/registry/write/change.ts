// What a PUT, a patch and an apply have in common: the object is read, changed, checked and committed with the expected
// revision. Who finds that somebody else was faster starts over on the fresh object.

import { nextTurn } from "../../meta/clock.ts";
import { invalid } from "../../meta/field-error.ts";
import { cloneJson } from "../../meta/json.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import { conflict, invalidObject, MODIFIED, notFound } from "../../meta/status.ts";
import { keepTimesOfNoop } from "../../patch/apply/managed-entries.ts";
import type { KeyValue } from "../../storage/store.ts";
import { admit, admitFinal } from "../admission.ts";
import { decodeStored } from "../codec/object-codec.ts";
import {
  decodeInVersion,
  type ObjectResult,
  prepareVersions,
  readyToShow,
  storedOrder,
  toStoredForm,
} from "../codec/versions.ts";
import { LARGE_BYTES, type RequestContext } from "../definition/request-context.ts";
import type { ObjectAddress, ResourceView, Strategy } from "../definition/resource-definition.ts";
import { objectKey, strategyFor, strategyOf } from "../definition/view.ts";
import type { RegistryDeps } from "../resource-registry.ts";
import { objectResourceVersion, toStatusError } from "../resource-version.ts";
import { changeThroughScale, scaleToChange } from "../scale.ts";
import { WriteClaims } from "./claims.ts";
import { commitObject, commitRemoval, lostRace } from "./commit.ts";
import { checkMeant } from "./delete-options.ts";
import { placeInNamespace, prepareForUpdate } from "./prepare.ts";
import { validateWritten } from "./validate.ts";

/** An object that is to be changed. */
export interface LiveObject {
  readonly kv: KeyValue;
  /** In the version of the request. It must not be changed. */
  readonly object: Readonly<KubeObject>;
  /** The same as its writer sees it: at /scale, its Scale. */
  readonly shown: Readonly<KubeObject>;
  /** Of the request; a small change of a large object is as much work as a large one. */
  readonly context: RequestContext;
}

/** An object that has been changed, and that a write is to leave. */
export interface ChangedObject {
  readonly address: ObjectAddress;
  readonly subresource: string;
  readonly live: LiveObject;
  /** As its writer sees it, with managedFields; it is changed and kept. */
  readonly next: KubeObject;
  /** An apply keeps managedFields however large the object is. */
  readonly keepsManagers?: boolean;
}

/** The object at the address; undefined: there is none. Throws 409 where another one of that name was meant. */
export async function readLive(
  { store }: RegistryDeps,
  { view, namespace, name }: ObjectAddress,
  {
    subresource,
    context: asked,
    uid,
  }: { subresource: string; context: RequestContext; uid?: string | undefined },
): Promise<LiveObject | undefined> {
  const kv = store.get(objectKey(view.definition, namespace, name));
  if (kv === undefined) return undefined;
  await prepareVersions(view, [kv]);
  const object = decodeInVersion(view, kv);
  if (uid) checkMeant(view.definition, kv, object, { uid });
  const isLarge = asked.isLarge === true || kv.value.length > LARGE_BYTES;
  const context = asked.isLarge === isLarge ? asked : { ...asked, isLarge };
  if (context.isLarge) await nextTurn();
  return { kv, object, shown: subresource === "scale" ? scaleToChange(view, object) : object, context };
}

/** Checks and commits what the object has become. Rejects with a StatusError, and where somebody was faster with a StoreError. */
export async function commitChange(deps: RegistryDeps, changed: ChangedObject): Promise<ObjectResult> {
  const { address, subresource, live, next, keepsManagers } = changed;
  const { view, namespace, name } = address;
  const { kv, object: oldObject, context } = live;
  if (context.isLarge) await nextTurn();
  const object = subresource === "scale" ? changeThroughScale(view, oldObject, next) : next;
  placeInNamespace(view, object, namespace);
  const about = { operation: "UPDATE", view, subresource, namespace, name, oldObject, context } as const;
  await admit(deps, { ...about, object });
  const strategy = strategyFor(view, subresource);
  checkResourceVersion(view, strategy, object, kv);
  const claims = strategy.claim && new WriteClaims(deps.store, context);
  prepareForUpdate(view, strategy, object, oldObject, context, claims);
  if (context.isLarge) await nextTurn();
  const { workers } = deps;
  await validateWritten({ view, strategy, object, old: oldObject, context, workers });
  if (context.isLarge) await nextTurn();
  const settled = keepTimesOfNoop(oldObject, object);
  if (context.isLarge) await nextTurn();
  await admitFinal(deps, { ...about, object: settled });
  if (readyToGo(strategyOf(view), settled, oldObject)) return removeNow(deps, view, kv, settled, context);
  const { dryRun, isLarge } = context;
  const options = {
    dryRun,
    order: storedOrder(view.definition),
    keepsManagers,
    isLarge,
    besides: claims?.ops,
  };
  return readyToShow(view, await commitObject(deps, kv, await toStoredForm(view, settled), options));
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
    if (kv === undefined) throw notFound(definition, address.name);
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

function checkResourceVersion(
  { definition }: ResourceView,
  strategy: Strategy,
  object: KubeObject,
  kv: KeyValue,
): void {
  const wanted = objectResourceVersion(object.metadata.resourceVersion);
  const name = object.metadata.name ?? "";
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
  return {
    type: "bare",
    object: { ...object, metadata: { ...object.metadata, resourceVersion: String(kv.modRevision) } },
  };
}
