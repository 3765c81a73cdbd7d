// A cluster with the Whereabouts controller, and the objects that it reconciles.

import { isObject, objectAt } from "../../../../../src/apimachinery/json/json.ts";
import type { KubeObject } from "../../../../../src/apimachinery/meta/object-meta.ts";
import type { ControllerSettings } from "../../../../../src/controller/settings.ts";
import { whereabouts } from "../../../../../src/ovn/controllers/whereabouts/controller.ts";
import { IP_POOLS, RESERVATIONS } from "../../../../../src/ovn/controllers/whereabouts/pool.ts";
import { withSettings } from "../../../kube/controllers/support.ts";
import { core, NADS, nadObject, namespaceObject, podObject, World } from "../networks/support.ts";

export { IP_POOLS, RESERVATIONS };
export const PODS = core("pods");
export const NAMESPACE = "kube-system";
const NETWORKS = "k8s.v1.cni.cncf.io/networks";
const NETWORK_STATUS = "k8s.v1.cni.cncf.io/network-status";

export async function startWhereabouts(settings: Partial<ControllerSettings> = {}): Promise<World> {
  const world = await World.start(withSettings(whereabouts, settings));
  await world.add(core("namespaces"), namespaceObject(NAMESPACE));
  await world.add(core("namespaces"), namespaceObject("ns"));
  return world;
}

/** The text of a network's configuration. */
export const configOf = (ipam: object): string =>
  JSON.stringify({ cniVersion: "0.3.1", type: "macvlan", ipam: { type: "whereabouts", ...ipam } });

export const addNetwork = (world: World, name: string, ipam: object, namespace = "ns"): Promise<void> =>
  world.add(NADS, nadObject(namespace, name, configOf(ipam)));

export const podWith = (name: string, networks: string, more: Record<string, string> = {}): KubeObject =>
  podObject("ns", name, { annotations: { [NETWORKS]: networks, ...more } });

export const addPod = (world: World, name: string, networks: string): Promise<void> =>
  world.add(PODS, podWith(name, networks));

/** Of a pool, "offset namespace/pod interface"; undefined where there is no such pool. */
export async function allocations(world: World, pool: string): Promise<string[] | undefined> {
  const found = await world.find(IP_POOLS, pool, NAMESPACE);
  if (!found) return undefined;
  const entries = Object.entries(objectAt(objectAt({ ...found }, "spec"), "allocations") ?? {});
  return entries.map(([offset, entry]) =>
    isObject(entry) ? `${offset} ${entry["podref"]} ${entry["ifname"]}` : offset,
  );
}

/** "name namespace/pod interface" of everything reserved. */
export async function reservations(world: World): Promise<string[]> {
  const { items } = await world.client.list(RESERVATIONS, { namespace: NAMESPACE });
  return items.map(({ metadata, spec }) =>
    isObject(spec) ? `${metadata.name} ${spec["podref"]} ${spec["ifname"]}` : "",
  );
}

export const finish = (world: World, name: string, phase = "Succeeded"): Promise<void> =>
  world.edit(PODS, name, { status: { phase } }, "ns", "status");

/** What Multus notes about a pod that it has set up. */
export const setUp = (world: World, name: string, ...ips: string[]): Promise<void> =>
  world.edit(
    PODS,
    name,
    { metadata: { annotations: { [NETWORK_STATUS]: JSON.stringify([{ name: "ns/net", ips }]) } } },
    "ns",
  );
