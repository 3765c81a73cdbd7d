// Classifies a destination from the view of the sender's network (src/ovn/rules.md R6).
import type { IpAddress } from "../../apimachinery/meta/ip.ts";
import { isWithin } from "../cluster/cidr-texts.ts";
import type { Cluster } from "../cluster/cluster.ts";
import type { Network } from "../cluster/network-view.ts";
import type { NodeView } from "../cluster/node-view.ts";
import type { PodView } from "../cluster/pod-view.ts";
import type { Sender } from "./packet-path.ts";

export type Place =
  /** In the subnets of the sender's own network; `pod` is undefined if no known pod has the address. */
  | { readonly type: "pods"; readonly pod: PodView | undefined }
  | { readonly type: "join" }
  | { readonly type: "own-node"; readonly node: NodeView }
  | { readonly type: "node"; readonly node: NodeView }
  /** In the subnets of another primary network. */
  | { readonly type: "other-network"; readonly network: Network; readonly pod: PodView | undefined }
  /** Masquerade and link-local addresses, which never leave the host. */
  | { readonly type: "host-internal" }
  | { readonly type: "outside" };

export function placeOfDestination(cluster: Cluster, { network, node }: Sender, ip: IpAddress): Place {
  if (isWithin(network.subnets, ip)) return { type: "pods", pod: cluster.podAt(network, ip) };
  const host = cluster.nodeAt(ip);
  if (host) return host.name === node?.name ? { type: "own-node", node: host } : { type: "node", node: host };
  if (isWithin(network.joinSubnets, ip)) return { type: "join" };
  if (isWithin(cluster.masqueradeSubnets, ip) || isLinkLocal(ip)) return { type: "host-internal" };
  const other = otherNetworkOf(cluster, network, ip);
  if (other) return { type: "other-network", network: other, pod: cluster.podAt(other, ip) };
  return { type: "outside" };
}

/** UDNs may have overlapping subnets: a network in which a pod has the address is preferred. */
function otherNetworkOf(cluster: Cluster, own: Network, ip: IpAddress): Network | undefined {
  const { networks } = cluster;
  const others = [networks.default, ...networks.own.values()].filter(
    (network) => network.name !== own.name && isWithin(network.subnets, ip),
  );
  return others.find((network) => cluster.podAt(network, ip) !== undefined) ?? others[0];
}

const isLinkLocal = ({ text }: IpAddress): boolean => text.startsWith("169.254.") || /^fe[89ab]/.test(text);
