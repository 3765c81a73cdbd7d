// How the owners that an object names stand, asked from the API itself, because the watches may lag behind.
import type { Client } from "../../client/client.ts";
import type { OwnerReference } from "../../meta/object-meta.ts";
import type { ServedResource } from "../kit/api.ts";
import type { Logger } from "../kit/logging.ts";
import { findObject } from "./live-object.ts";
import { FOREGROUND, type OwnerGraph, type OwnerNode } from "./owner-graph.ts";

export interface OwnerLookup {
  readonly client: Client;
  readonly graph: OwnerGraph;
  readonly log: Logger;
  readonly resources: {
    findKind(reference: OwnerReference): ServedResource | undefined;
    /** Resolves once the graph knows of everything there was: who depends on an object is known only then. */
    synced(): Promise<void>;
  };
}

/** The owners of one object by what they mean for it. */
export interface OwnerStates {
  /** There, and not waiting for dependents: they keep the object. */
  readonly solid: readonly OwnerReference[];
  readonly absent: readonly OwnerReference[];
  /** Being deleted in the foreground: they wait for the object to go. */
  readonly waiting: readonly OwnerReference[];
}

/**
 * Undefined when an owner cannot be looked for: its kind is not served (it may be some day), or it is of a namespaced
 * kind while the object has no namespace. Nothing is to be done with the object then.
 */
export async function findOwners(
  { client, graph, resources }: OwnerLookup,
  { namespace }: OwnerNode,
  references: readonly OwnerReference[],
): Promise<OwnerStates | undefined> {
  const solid: OwnerReference[] = [];
  const absent: OwnerReference[] = [];
  const waiting: OwnerReference[] = [];
  for (const reference of references) {
    const goneFrom = graph.goneFrom(reference.uid);
    const resource = resources.findKind(reference);
    const namespaced = goneFrom === undefined ? resource?.namespaced : goneFrom !== "";
    if (namespaced === undefined || (namespaced && namespace === "")) return undefined;
    if (goneFrom !== undefined || !resource) {
      absent.push(reference);
      continue;
    }
    const key = { namespace: resource.namespaced ? namespace : "", name: reference.name };
    const metadata = (await findObject(client, resource, key))?.metadata;
    const waits = metadata?.deletionTimestamp !== undefined && metadata.finalizers?.includes(FOREGROUND);
    if (metadata?.uid !== reference.uid) absent.push(reference);
    else if (waits) waiting.push(reference);
    else solid.push(reference);
  }
  return { solid, absent, waiting };
}
