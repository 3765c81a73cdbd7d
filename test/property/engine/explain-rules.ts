// What the explanation says is what the controller did, and each reason that it gives is true.
import { expect } from "vitest";
import { parseIp } from "../../../src/meta/ip.ts";
import type { KubeObject } from "../../../src/meta/object-meta.ts";
import { Cluster } from "../../../src/verdict/cluster/cluster.ts";
import { type AddressAnswer, explainEgressIp } from "../../../src/verdict/explain/egress-ip.ts";
import { DEFAULT_FACTS, snapshotOf } from "../../../src/verdict/snapshot.ts";
import { allReadable, readNodes, type SeenNode } from "./cluster-view.ts";
import { candidatesFor } from "./egress-ip-rules.ts";
import type { World } from "./world.ts";

const RESOURCES = {
  nodes: "nodes",
  egressips: "egressips.k8s.ovn.org",
  cloudprivateipconfigs: "cloudprivateipconfigs.cloud.network.openshift.io",
} as const;

/** At rest. Once every EgressIP was looked at again nothing that could be placed waits any more. */
export async function checkExplained(
  world: World,
  { allLookedAt }: { readonly allLookedAt: boolean },
): Promise<void> {
  const nodes = await readNodes(world);
  // What could be read before and cannot be read now is known to the controller alone.
  if (!allReadable(nodes)) return;
  const cluster = await clusterOf(world);
  for (const object of await world.list("egressips")) {
    const { name = "" } = object.metadata;
    const explanation = explainEgressIp(cluster, name);
    const items =
      (object["status"] as { items: { egressIP: string; node: string }[] } | undefined)?.items ?? [];
    for (const answer of explanation?.addresses ?? []) {
      const what = `${name}: ${answer.summary}`;
      expect(answer.node, what).toBe(
        items.find(({ egressIP }) => egressIP === parseIp(answer.address)?.text)?.node,
      );
      if (answer.node !== undefined) continue;
      expect(answer.reasons.length, what).toBeGreaterThan(0);
      for (const { row } of answer.reasons)
        expect(isTrue(row, answer, name, world, nodes), `${what} (${row})`).toBe(true);
      if (allLookedAt)
        expect(
          answer.reasons.map(({ row }) => row),
          what,
        ).not.toContain(3);
    }
  }
}

async function clusterOf(world: World): Promise<Cluster> {
  const objects: KubeObject[] = [];
  const kinds = new Map<KubeObject, string>();
  for (const [resource, full] of Object.entries(RESOURCES)) {
    for (const object of await world.list(resource as keyof typeof RESOURCES)) {
      objects.push(object);
      kinds.set(object, full);
    }
  }
  const snapshot = snapshotOf(objects, (object) => kinds.get(object));
  // The controller remembers more than objects say where people have changed these behind its back.
  const held = world.allocations.flatMap(({ node, allocations }) =>
    Object.entries(allocations).map(([address, egressIp]) => ({ egressIp, address, node })),
  );
  return new Cluster(snapshot, { ...DEFAULT_FACTS, onCloud: world.cloud, held });
}

/** By the objects themselves, without the engine's own code. */
function isTrue(
  row: number,
  { address }: AddressAnswer,
  name: string,
  world: World,
  nodes: readonly SeenNode[],
): boolean {
  const ip = parseIp(address);
  if (!ip) return row === 4;
  const { allocations } = world;
  const holds = (node: string) =>
    Object.values(allocations.find((one) => one.node === node)?.allocations ?? {}).includes(name);
  const candidates = candidatesFor(world, nodes, ip);
  switch (row) {
    case 1:
      return !nodes.some(({ usable }) => usable);
    case 3:
      // The controller holds what it has asked the cloud for, also where somebody has taken the request away.
      return (
        allocations.some((one) => one.allocations[ip.text] === name) ||
        candidates.some((node) => !holds(node.name))
      );
    case 4:
      return true; // another address of the same EgressIP
    case 5:
      return nodes.some(({ hosts }) => hosts?.some((cidr) => cidr.address.text === ip.text));
    case 6:
      return allocations.some((one) => (one.allocations[ip.text] ?? name) !== name);
    case 7:
      return nodes.some(({ usable }) => usable) && candidates.length === 0;
    case 8:
    case 9:
      return candidates.every((node) => holds(node.name));
    case 10:
      return world.cloud && candidates.length === 0;
    case 17:
      return world.cloud;
    default:
      return false;
  }
}
