// The stored form of another cluster's objects in an in-memory copy, for plans; nothing is written. Imports use
// stored-form.ts instead. A planned cluster has tens of thousands of objects, and a current server has stored them
// completely. They are therefore neither copied nor decoded again. A copy lasts for its plans only, so absent owners
// are removed instead of recorded.

import { cloneJson } from "../../apimachinery/json/json.ts";
import { formatTime } from "../../apimachinery/meta/clock.ts";
import type { KubeObject } from "../../apimachinery/meta/object-meta.ts";
import { applyDefaults } from "../../apimachinery/schema/default.ts";
import { memberOrder, type OrderedObject } from "../../apiserver/registry/codec/object-codec.ts";
import { toStoredForm } from "../../apiserver/registry/codec/versions.ts";
import type { RequestContext } from "../../apiserver/registry/definition/request-context.ts";
import type { ResourceView } from "../../apiserver/registry/definition/resource-definition.ts";
import {
  apiVersionOf,
  objectKey,
  storageView,
  strategyOf,
} from "../../apiserver/registry/definition/view.ts";
import type { ResourceRegistry } from "../../apiserver/registry/resource-registry.ts";
import { WriteClaims } from "../../apiserver/registry/write/prepare.ts";
import type { Store, TxnOp } from "../../storage/store.ts";
import { standingView } from "./stored-form.ts";

export interface StandingDeps {
  readonly registry: ResourceRegistry;
  readonly store: Store;
  /** Supplies uid and creation time for objects that were never in a server. */
  readonly context: RequestContext;
}

export interface Standing {
  /** The allocations of the objects. */
  readonly claims: readonly TxnOp[];
  /** By their keys. */
  readonly objects: ReadonlyMap<string, OrderedObject>;
}

/**
 * Returns the objects in their stored form. References to absent owners are removed: the garbage collector would treat
 * the owners as deleted. Kinds that are not served are omitted. Shares members with the given objects.
 */
export async function standingObjects(
  objects: Iterable<KubeObject>,
  { registry, store, context }: StandingDeps,
): Promise<Standing> {
  const known = [...objects].flatMap((object) => {
    const view = standingView(registry, object);
    return view === undefined ? [] : [{ view, object }];
  });
  const uids = new Set(known.map(({ object }) => object.metadata.uid ?? ""));
  const claims = new WriteClaims(store, context);
  const standing = new Map<string, OrderedObject>();
  for (const { view, object } of known) {
    strategyOf(view).hold?.(object, undefined, claims);
    const stored = await toStoredForm(view, completed(view, object, uids, context));
    const { namespace = "", name = "" } = stored.metadata;
    const form = { object: stored, order: memberOrder(storageView(view.definition)) };
    const inside = view.definition.namespaceScoped ? namespace : "";
    standing.set(objectKey(view.definition, inside, name), form);
  }
  return { claims: claims.ops, objects: standing };
}

/** Returns a copy with the fields of every stored object. A complete object shares its members. */
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
