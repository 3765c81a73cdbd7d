// A world with the garbage collector at work, and helpers for owner references.

import type { KubeObject, OwnerReference } from "../../../../../src/apimachinery/meta/object-meta.ts";
import type { ResourceName } from "../../../../../src/controller/client.ts";
import { garbageCollector } from "../../../../../src/kube/controllers/garbage-collector/controller.ts";
import { ApiWorld, CONFIG_MAPS } from "../../../../support/api-world.ts";

export const openCollected = (): Promise<ApiWorld> => ApiWorld.open([garbageCollector]);

/** A reference to the object, as its dependents carry it. */
export function ownedBy(
  { apiVersion = "", kind = "", metadata }: KubeObject,
  more: Partial<OwnerReference> = {},
): OwnerReference {
  return { apiVersion, kind, name: metadata.name ?? "", uid: metadata.uid ?? "", ...more };
}

export const BLOCKING = { blockOwnerDeletion: true };

export const inA = (name: string) => ({ namespace: "a", name });
export const clusterWide = (name: string) => ({ namespace: "", name });

/** A ConfigMap in the namespace a. */
export function configMap(
  world: ApiWorld,
  name: string,
  ownerReferences: OwnerReference[] = [],
  metadata: KubeObject["metadata"] = {},
): Promise<KubeObject> {
  return world.create(CONFIG_MAPS, { name, namespace: "a", ownerReferences, ...metadata });
}

export type Policy = "Background" | "Foreground" | "Orphan";

export async function remove(
  world: ApiWorld,
  name: string,
  propagationPolicy: Policy = "Background",
  resource: ResourceName = CONFIG_MAPS,
): Promise<void> {
  const key = resource === CONFIG_MAPS ? inA(name) : clusterWide(name);
  await world.client.delete(resource, key, { propagationPolicy });
}

export const configMaps = (world: ApiWorld): Promise<string[]> =>
  world.names(CONFIG_MAPS, { namespace: "a" });

/** The names of the owners that a ConfigMap in the namespace a names. */
export async function ownersOf(world: ApiWorld, name: string): Promise<string[] | undefined> {
  const object = await world.get(CONFIG_MAPS, inA(name));
  return object?.metadata.ownerReferences?.map((reference) => reference.name);
}
