// Clusters of the numbered scenarios.
import {
  Cluster,
  EGRESS_IPS,
  type EgressIpOptions,
  egressIpObject,
  NODES,
  type NodeOptions,
  nodeObject,
} from "../../../../kube/controllers/support.ts";

/** Holds the first two of its kind: a node in 192.168.126.0/24 with networks beside that. */
export const N1: NodeOptions = { ipv4: "192.168.126.202/24", hosts: ["10.10.10.3/24", "7.7.7.7/16"] };
export const N2: NodeOptions = {
  ipv4: "192.168.126.51/24",
  hosts: ["10.10.10.4/24", "7.7.7.8/16", "5.5.5.5/16"],
};

/** Two IPv6 nodes in one network. */
export const V6_N1: NodeOptions = { ipv6: "0:0:0:0:0:feff:c0a8:8e0c/64", hosts: ["10.10.10.3/24"] };
export const V6_N2: NodeOptions = { ipv6: "0:0:0:0:0:fedf:c0a8:8e0c/64", hosts: ["10.10.10.4/24"] };

/** Two nodes, of which the first holds two addresses of others and the second one. */
export async function unevenCluster(n1: NodeOptions, n2: NodeOptions, addresses: readonly string[]) {
  const cluster = await Cluster.start();
  await cluster.addNode("n1", n1);
  await cluster.addNode("n2", n2);
  for (const [index, address] of addresses.entries()) await cluster.addEgressIp(`other${index}`, [address]);
  return cluster;
}

export const held = (cluster: Cluster): Record<string, number> =>
  Object.fromEntries(
    cluster.describe().map(({ node, allocations }) => [node, Object.keys(allocations).length]),
  );

/** A cluster that starts with these nodes and EgressIPs there already. */
export async function startWith(
  nodes: Readonly<Record<string, NodeOptions>>,
  egressIps: readonly (readonly [name: string, addresses: readonly string[], options?: EgressIpOptions])[],
): Promise<Cluster> {
  const cluster = await Cluster.start();
  await cluster.restart(async () => {
    for (const [name, options] of Object.entries(nodes)) {
      await cluster.client.create(NODES, nodeObject(name, options));
    }
    for (const [name, addresses, options] of egressIps) {
      await cluster.client.create(EGRESS_IPS, egressIpObject(name, addresses, options));
    }
  });
  return cluster;
}

export const withItems = (
  ...items: readonly (readonly [egressIP: string, node: string])[]
): EgressIpOptions => ({
  status: { items: items.map(([egressIP, node]) => ({ egressIP, node })) },
});
