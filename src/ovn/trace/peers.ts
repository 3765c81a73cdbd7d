// Peers of policies: which addresses a rule matches. Selectors match live pods on a pod network, never hostNetwork pods
// (src/ovn/rules.md R22, R24).

import { type JsonObject, objectAt, textAt, textsAt } from "../../apimachinery/json/json.ts";
import type { IpAddress } from "../../apimachinery/meta/ip.ts";
import { isInNetwork } from "../cluster/cidr-texts.ts";
import { type Cluster, selectorIn, selectorOrAll } from "../cluster/cluster.ts";
import type { Network } from "../cluster/network-view.ts";
import { isLive, type PodView } from "../cluster/pod-view.ts";

/** The other end of a packet. */
export interface Peer {
  readonly address: IpAddress;
  /** The pod with that address; undefined if no pod has it. */
  readonly pod: PodView | undefined;
  readonly network: Network;
}

const hasLabels = (
  cluster: Cluster,
  { namespace, labels }: PodView,
  inNamespaces: unknown,
  ofPods: unknown,
): boolean =>
  selectorIn(inNamespaces).matches(cluster.namespaceLabels(namespace)) &&
  selectorOrAll(ofPods).matches(labels);

/** A peer of a NetworkPolicy in a namespace, and of a NetworkQoS. */
export function isPolicyPeer(
  cluster: Cluster,
  rule: JsonObject,
  { address, pod }: Peer,
  namespace: string,
): boolean {
  const block = objectAt(rule, "ipBlock");
  if (block) return isInBlock(block, address);
  if (!pod || !isLive(pod)) return false;
  const { namespaceSelector, podSelector } = rule;
  if (namespaceSelector === undefined)
    return pod.namespace === namespace && selectorOrAll(podSelector).matches(pod.labels);
  return hasLabels(cluster, pod, namespaceSelector, podSelector);
}

/** Reports whether the address is in the CIDR and in none of the exceptions. */
export function isInBlock(block: JsonObject, address: IpAddress): boolean {
  if (!isInNetwork(textAt(block, "cidr"), address)) return false;
  return !textsAt(block, "except").some((text) => isInNetwork(text, address));
}

/** A peer of an AdminNetworkPolicy, or of the BaselineAdminNetworkPolicy. */
export function isAdminPeer(cluster: Cluster, rule: JsonObject, { address, pod }: Peer): boolean {
  const namespaces = rule["namespaces"];
  const pods = objectAt(rule, "pods");
  const live = pod && isLive(pod) ? pod : undefined;
  if (namespaces !== undefined) return live !== undefined && hasLabels(cluster, live, namespaces, undefined);
  if (pods)
    return live !== undefined && hasLabels(cluster, live, pods["namespaceSelector"], pods["podSelector"]);
  if (rule["nodes"] !== undefined) {
    const node = cluster.nodeAt(address);
    return node !== undefined && selectorIn(rule["nodes"]).matches(node.object.metadata.labels);
  }
  return textsAt(rule, "networks").some((text) => isInNetwork(text, address));
}
