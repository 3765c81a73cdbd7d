// Objects of another server as they would lie in the store of this one, if they had been made here: with their uids, times,
// status and all, beside what a write would check. Nothing is written.

import { formatTime } from "../../meta/clock.ts";
import { cloneJson } from "../../meta/json.ts";
import { type KubeObject, partsOfApiVersion } from "../../meta/object-meta.ts";
import { StatusError } from "../../meta/status.ts";
import { encodeStored, memberOrder, type OrderedObject } from "../../registry/codec/object-codec.ts";
import { toStoredForm } from "../../registry/codec/versions.ts";
import type { RequestContext } from "../../registry/definition/request-context.ts";
import type { ResourceView } from "../../registry/definition/resource-definition.ts";
import { apiVersionOf, objectKey, storageView, strategyOf } from "../../registry/definition/view.ts";
import type { ResourceRegistry } from "../../registry/resource-registry.ts";
import { WriteClaims } from "../../registry/write/prepare.ts";
import { applyDefaults } from "../../schema/default.ts";
import type { Store, TxnOp } from "../../storage/store.ts";

export interface StandingDeps {
  readonly registry: ResourceRegistry;
  readonly store: Store;
  /** Gives what an object needs that never was in a server: a uid, a time. */
  readonly context: RequestContext;
}

export interface Standing {
  /** What the objects hold for themselves alone. */
  readonly claims: readonly TxnOp[];
  /** By their keys. */
  readonly objects: ReadonlyMap<string, OrderedObject>;
}

/**
 * The objects as the store would hold them. An owner who is not there himself is not named any more: it would be taken for
 * one that has gone. Kinds that are not served are left out. Shares members with what it is given.
 */
export async function standingObjects(
  objects: Iterable<KubeObject>,
  { registry, store, context }: StandingDeps,
): Promise<Standing> {
  const known = [...objects].flatMap((object) => {
    const view = viewOf(registry, object);
    return view === undefined ? [] : [{ view, object }];
  });
  const uids = new Set(known.map(({ object }) => object.metadata.uid ?? ""));
  const claims = new Map<string, TxnOp>();
  const standing = new Map<string, OrderedObject>();
  for (const { view, object } of known) {
    for (const op of claimsOf(view, object, store, context)) claims.set(op.key, op);
    const stored = await toStoredForm(view, completed(view, object, uids, context));
    const { namespace = "", name = "" } = stored.metadata;
    const inside = view.definition.namespaceScoped ? namespace : "";
    const form = { object: stored, order: memberOrder(storageView(view.definition)) };
    standing.set(objectKey(view.definition, inside, name), form);
  }
  return { claims: [...claims.values()], objects: standing };
}

/** What puts the objects into the store, in the place of those that are there under their names. */
export async function asTheyStood(objects: Iterable<KubeObject>, deps: StandingDeps): Promise<TxnOp[]> {
  const { claims, objects: standing } = await standingObjects(objects, deps);
  const puts = Array.from(standing, ([key, { object, order }]): TxnOp => {
    const value = encodeStored(object, order);
    const ifModRevision = deps.store.get(key)?.modRevision;
    const isNew = ifModRevision === undefined;
    return isNew ? { type: "create", key, value } : { type: "update", key, value, ifModRevision };
  });
  return [...claims, ...puts];
}

/** In the version in which the object is, or, where that is not served, in the one that is stored. */
function viewOf(
  registry: ResourceRegistry,
  { apiVersion = "", kind = "" }: KubeObject,
): ResourceView | undefined {
  const [group] = partsOfApiVersion(apiVersion);
  const same = registry.definitions.find(
    (one) => one.group === group && one.kind === kind && one.review === undefined,
  );
  return registry.findByKind(apiVersion, kind) ?? (same && storageView(same));
}

/** A copy with what every stored object has. What a server has stored before is complete, and shares its members. */
function completed(
  view: ResourceView,
  object: KubeObject,
  uids: ReadonlySet<string>,
  { ids, clock }: RequestContext,
): KubeObject {
  const isComplete =
    object.metadata.resourceVersion !== undefined &&
    object.apiVersion === apiVersionOf(storageView(view.definition));
  const copy: KubeObject = isComplete ? { ...object, metadata: { ...object.metadata } } : cloneJson(object);
  const { metadata } = copy;
  metadata.uid ??= ids.uid();
  metadata.creationTimestamp ??= formatTime(clock.now());
  if (view.definition.namespaceScoped) metadata.namespace ||= "default";
  const owners = metadata.ownerReferences?.filter(({ uid }) => uids.has(uid));
  if (owners !== undefined && owners.length > 0) metadata.ownerReferences = owners;
  else delete metadata.ownerReferences;
  if (!isComplete) applyDefaults(view.version.node, copy);
  return copy;
}

/** What the object holds for itself alone, such as an address; what this server could not give is not held. */
function claimsOf(
  view: ResourceView,
  object: KubeObject,
  store: Store,
  context: RequestContext,
): readonly TxnOp[] {
  const { claim } = strategyOf(view);
  if (claim === undefined) return [];
  const claims = new WriteClaims(store, context);
  try {
    claim(cloneJson(object), undefined, claims);
    return claims.ops;
  } catch (error) {
    if (error instanceof StatusError) return [];
    throw error;
  }
}
