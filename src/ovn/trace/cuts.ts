// The CIDRs that rules for a pod name. At their boundaries the verdict of a range may change.

import { type JsonObject, objectAt, objectsAt, textAt, textsAt } from "../../apimachinery/json/json.ts";
import type { Cidr, IpAddress } from "../../apimachinery/meta/ip.ts";
import { cidrOf, parseCidr } from "../../apimachinery/meta/ip.ts";
import { memoize } from "../../apimachinery/meta/memoize.ts";
import { type KubeObject, specOf } from "../../apimachinery/meta/object-meta.ts";
import { networksIn } from "../cluster/cidr-texts.ts";
import { type Cluster, selectorIn } from "../cluster/cluster.ts";
import { namedAddresses } from "./names.ts";
import type { Sender } from "./packet-path.ts";
import { isSubject, speaksOf } from "./policies.ts";
import { servicesAt } from "./services.ts";

const ADMIN_POLICIES = "adminnetworkpolicies.policy.networking.k8s.io";
const BASELINE = "baselineadminnetworkpolicies.policy.networking.k8s.io";
const BITS = { 4: 32, 6: 128 } as const;
const LINK_LOCAL = "169.254.0.0/16,fe80::/10";

const cidrs = (texts: readonly string[]): Cidr[] => texts.flatMap((text) => parseCidr(text) ?? []);

/** Cluster-internal networks: pod, join, service, transit, masquerade and link-local subnets. */
export const ownNetworks = memoize(({ networks, ...cluster }: Cluster): readonly Cidr[] => [
  ...[networks.default, ...networks.own.values()].flatMap((one) => [...one.subnets, ...one.joinSubnets]),
  ...[...cluster.serviceSubnets, ...cluster.transitSubnets, ...cluster.masqueradeSubnets],
  ...networksIn(LINK_LOCAL),
]);

/** Reports whether a node, a Service or a pod of the network has the address. */
export const isSomebodys = (cluster: Cluster, { network }: Sender, ip: IpAddress): boolean =>
  cluster.nodeAt(ip) !== undefined ||
  servicesAt(cluster, ip).length > 0 ||
  cluster.podAt(network, ip) !== undefined;

export function* cutsFor(cluster: Cluster, { pod, network, node }: Sender): Generator<Cidr> {
  const { snapshot } = cluster;
  yield* ownNetworks(cluster);
  // In local gateway mode the host routes its own networks through their interfaces (src/ovn/rules.md R8).
  if (network.isDefault && node?.host && cluster.modeOf(node) === "local") yield* node.host;
  const firewall = snapshot.get("egressfirewalls.k8s.ovn.org", pod.namespace, "default");
  if (firewall) {
    yield* ofRules(firewall);
    for (const name of namesIn(firewall)) {
      for (const ip of namedAddresses(cluster, name) ?? []) yield cidrOf(ip, BITS[ip.family]);
    }
  }
  for (const policy of snapshot.list("networkpolicies.networking.k8s.io", pod.namespace)) {
    const selects = selectorIn(specOf(policy)["podSelector"]).matches(pod.labels);
    if (selects && speaksOf(policy, "egress")) yield* ofRules(policy);
  }
  if (network.isDefault) {
    for (const resource of [ADMIN_POLICIES, BASELINE]) {
      for (const policy of snapshot.list(resource)) {
        if (isSubject(cluster, policy, pod)) yield* ofRules(policy);
      }
    }
    const qos = snapshot.get("egressqoses.k8s.ovn.org", pod.namespace, "default");
    if (qos) yield* ofRules(qos);
  }
  for (const qos of snapshot.list("networkqoses.k8s.ovn.org", pod.namespace)) yield* ofRules(qos);
}

const rulesOf = (object: KubeObject): JsonObject[] => objectsAt(specOf(object), "egress");

const namesIn = (firewall: KubeObject): string[] =>
  rulesOf(firewall).flatMap((rule) => textAt(objectAt(rule, "to"), "dnsName") || []);

/** Reads every field that holds CIDRs in any of the policy, firewall and QoS kinds. */
const ofRules = memoize((object: KubeObject): readonly Cidr[] =>
  rulesOf(object).flatMap((rule) => {
    const { to } = rule;
    const peers = Array.isArray(to) ? objectsAt(rule, "to") : [];
    const classified = objectsAt(objectAt(rule, "classifier"), "to");
    return [
      ...cidrs([textAt(objectAt(rule, "to"), "cidrSelector"), textAt(rule, "dstCIDR")]),
      ...[...peers, ...classified].flatMap((peer) => {
        const block = objectAt(peer, "ipBlock");
        return cidrs([...textsAt(peer, "networks"), textAt(block, "cidr"), ...textsAt(block, "except")]);
      }),
    ];
  }),
);
