// Objects of another cluster as a copy in memory holds them, for plans: nothing is written. Beside stored-form.ts, by which an
// import writes: of a cluster that is planned upon there are tens of thousands, and what a server of today has stored is complete,
// so it is neither copied nor read anew; and a copy lives for its plans alone, so an owner who is not there is not noted but
// left out.

import { formatTime } from "../../meta/clock.ts";
import { cloneJson } from "../../meta/json.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import { memberOrder, type OrderedObject } from "../../registry/codec/object-codec.ts";
import { toStoredForm } from "../../registry/codec/versions.ts";
import type { RequestContext } from "../../registry/definition/request-context.ts";
import type { ResourceView } from "../../registry/definition/resource-definition.ts";
import { apiVersionOf, objectKey, storageView, strategyOf } from "../../registry/definition/view.ts";
import type { ResourceRegistry } from "../../registry/resource-registry.ts";
import { WriteClaims } from "../../registry/write/prepare.ts";
import { applyDefaults } from "../../schema/default.ts";
import type { Store, TxnOp } from "../../storage/store.ts";
import { standingView } from "./stored-form.ts";

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
