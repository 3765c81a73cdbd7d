// A world with the namespace controller, and helpers for the termination of a namespace.

import type { KubeObject } from "../../../../../src/apimachinery/meta/object-meta.ts";
import { DELETION_GRACE_MS, namespace } from "../../../../../src/kube/controllers/namespace/controller.ts";
import { ApiWorld, CONFIG_MAPS, NAMESPACES } from "../../../../support/api-world.ts";

export const HELD = { finalizers: ["example.com/hold"] };

export const openNamespaces = (): Promise<ApiWorld> => ApiWorld.open([namespace]);

export const configMap = (
  world: ApiWorld,
  name: string,
  metadata: KubeObject["metadata"] = {},
): Promise<KubeObject> => world.create(CONFIG_MAPS, { name, namespace: "a", ...metadata });

export const inA = (name: string) => ({ namespace: "a", name });
const A = { namespace: "", name: "a" };

/** Deletes a namespace and lets the time pass for which it is left alone. */
export async function removeNamespace(world: ApiWorld, name: string): Promise<void> {
  await world.client.delete(NAMESPACES, { namespace: "", name });
  await world.settled();
  world.clock.advance(DELETION_GRACE_MS);
}

export const removeA = (world: ApiWorld): Promise<void> => removeNamespace(world, "a");

export const namespaceA = (world: ApiWorld): Promise<KubeObject | undefined> => world.get(NAMESPACES, A);

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
  readonly lastTransitionTime: string;
}

export async function conditionsOfA(world: ApiWorld): Promise<readonly Condition[]> {
  const { status } = (await namespaceA(world)) as { status?: { conditions?: Condition[] } };
  return status?.conditions ?? [];
}

/** The conditions as "type status reason: message". */
export async function toldOfA(world: ApiWorld): Promise<string[]> {
  const conditions = await conditionsOfA(world);
  return conditions.map(({ type, status, reason, message }) => `${type} ${status} ${reason}: ${message}`);
}

/** Lets the hold go of a ConfigMap in the namespace a. */
export const release = (world: ApiWorld, name: string): Promise<void> =>
  world.change(CONFIG_MAPS, inA(name), { finalizers: null });
