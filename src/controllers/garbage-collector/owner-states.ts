// How the owners that an object names stand, asked from the API itself, because the watches may lag behind.
import type { Client } from "../../client/client.ts";
import type { OwnerReference } from "../../meta/object-meta.ts";
import { findObject } from "./metadata-patch.ts";
import { FOREGROUND, type OwnerGraph, type OwnerNode } from "./owner-graph.ts";
import type { ServedResource } from "./resource-catalog.ts";

export interface OwnerLookup {
  readonly client: Client;
  readonly graph: OwnerGraph;
  findKind(reference: OwnerReference): ServedResource | undefined;
}

/** The owners of one object by what they mean for it. */
export interface OwnerStates {
  readonly type: "known";
  /** There, and not waiting for dependents: they keep the object. */
  readonly solid: readonly OwnerReference[];
  readonly absent: readonly OwnerReference[];
  /** Being deleted in the foreground: they wait for the object to go. */
  readonly waiting: readonly OwnerReference[];
}

export type OwnersFound =
  | OwnerStates
  /** A kind is not served; it may be some day. */
  | { readonly type: "unknown" }
  /** A cluster-scoped object names an owner of a namespaced kind, which cannot be found without a namespace. */
  | { readonly type: "unfindable" };

export async function findOwners(
  { client, graph, findKind }: OwnerLookup,
  { namespace }: OwnerNode,
  references: readonly OwnerReference[],
): Promise<OwnersFound> {
  const solid: OwnerReference[] = [];
  const absent: OwnerReference[] = [];
  const waiting: OwnerReference[] = [];
  for (const reference of references) {
    if (graph.isGone(reference.uid)) {
      absent.push(reference);
      continue;
    }
    const resource = findKind(reference);
    if (!resource) return { type: "unknown" };
    if (resource.namespaced && namespace === "") return { type: "unfindable" };
    const key = { namespace: resource.namespaced ? namespace : "", name: reference.name };
    const metadata = (await findObject(client, resource, key))?.metadata;
    const waits = metadata?.deletionTimestamp !== undefined && metadata.finalizers?.includes(FOREGROUND);
    if (metadata?.uid !== reference.uid) absent.push(reference);
    else if (waits) waiting.push(reference);
    else solid.push(reference);
  }
  return { type: "known", solid, absent, waiting };
}
