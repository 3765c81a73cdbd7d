// Stage 6: the DSCP mark. It changes neither route nor source address (src/ovn/rules.md R40 to R43).

import { type JsonObject, numberAt, objectAt, objectsAt, textAt } from "../../apimachinery/json/json.ts";
import { parseCidr } from "../../apimachinery/meta/ip.ts";
import { readLabelSelector } from "../../apimachinery/meta/label-selector.ts";
import { memoize } from "../../apimachinery/meta/memoize.ts";
import { type KubeObject, specOf } from "../../apimachinery/meta/object-meta.ts";
import { isInNetwork } from "../cluster/cidr-texts.ts";
import { type Cluster, objectKey, selectorIn, selectorOrAll } from "../cluster/cluster.ts";
import type { Network } from "../cluster/network-view.ts";
import { mindHostBits } from "./host-bits.ts";
import { type Dscp, decider, doubt, inWords, type PacketPath, pass, warn } from "./packet-path.ts";
import { isInBlock, isPolicyPeer, type Peer } from "./peers.ts";
import { portsHold } from "./ports.ts";

const QOS_RULES_MAX = 1000;
const EGRESS_QOS = "egressqoses.k8s.ovn.org";

export function marked(way: PacketPath, cluster: Cluster, peer: Peer): PacketPath[] {
  const [ofNetworkQos, ofEgressQos] = [networkQos(way, cluster, peer), egressQos(way, cluster)];
  const found = ofNetworkQos.length > 0 ? ofNetworkQos : ofEgressQos;
  // NetworkQoS before EgressQoS follows from their priorities; no upstream test covers it (src/ovn/rules.md R42).
  const areBoth = ofNetworkQos.length > 0 && ofEgressQos.length > 0;
  if (found.length === 0) return [way];
  return found.map((dscp) => {
    const text = `${inWords(dscp.by)} sets DSCP ${dscp.value}`;
    const evidence = areBoth ? "inferred" : dscp.by.kind === "EgressQoS" ? "docs" : "test";
    const next = pass({ ...way, dscp }, { stage: "dscp", result: "marked", by: [dscp.by], text, evidence });
    return found.length > 1 ? doubt(next, "rules of NetworkQoSes have the same number") : next;
  });
}

/** The matching rules with the highest priority, 10000 + 10 × spec.priority + index: in an object the later rule wins. */
function networkQos(way: PacketPath, cluster: Cluster, peer: Peer): Dscp[] {
  const { sender, destination } = way;
  let best = -1;
  let found: Dscp[] = [];
  for (const object of cluster.snapshot.list("networkqoses.k8s.ovn.org", sender.pod.namespace)) {
    const spec = specOf(object);
    if (
      !selectorOrAll(spec["podSelector"]).matches(sender.pod.labels) ||
      !concerns(cluster, spec, sender.network)
    )
      continue;
    for (const [index, rule] of objectsAt(spec, "egress").entries()) {
      const number = 10 * (numberAt(spec, "priority") ?? 0) + index;
      const value = numberAt(rule, "dscp");
      if (value === undefined || number < best) continue;
      const classifier = objectAt(rule, "classifier");
      const peers = objectsAt(classifier, "to");
      if (peers.length > 0 && !peers.some((entry) => isQosPeer(cluster, entry, peer, sender.pod.namespace)))
        continue;
      if (!portsHold(objectsAt(classifier, "ports"), destination)) continue;
      const dscp = { value, by: decider("NetworkQoS", object, index) };
      found = number > best ? [dscp] : [...found, dscp];
      best = number;
    }
  }
  const values = new Set(found.map(({ value }) => value));
  return values.size > 1 ? found : found.slice(0, 1);
}

const isQosPeer = (cluster: Cluster, entry: JsonObject, peer: Peer, namespace: string): boolean => {
  const block = objectAt(entry, "ipBlock");
  return block ? isInBlock(block, peer.address) : isPolicyPeer(cluster, entry, peer, namespace);
};

/** Without networkSelectors a NetworkQoS applies to the default network. */
function concerns(cluster: Cluster, spec: JsonObject, network: Network): boolean {
  const selectors = objectsAt(spec, "networkSelectors");
  if (selectors.length === 0) return network.isDefault;
  return selectors.some((selector) => {
    if (selector["networkSelectionType"] === "DefaultNetwork") return network.isDefault;
    if (selector["networkSelectionType"] !== "NetworkAttachmentDefinitions")
      return cluster.networks.isChosen(selector, network);
    const given = objectAt(selector, "networkAttachmentDefinitionSelector");
    return network.attachments.some(
      ({ metadata }) =>
        selectorIn(given?.["namespaceSelector"]).matches(cluster.namespaceLabels(metadata.namespace ?? "")) &&
        selectorIn(given?.["networkSelector"]).matches(metadata.labels),
    );
  });
}

/** EgressQoS marks packets of the default network only, and only the object named default counts. */
function egressQos(way: PacketPath, cluster: Cluster): Dscp[] {
  const { pod, network } = way.sender;
  const object = cluster.snapshot.get(EGRESS_QOS, pod.namespace, "default");
  return object && network.isDefault ? egressMark(way, object) : [];
}

function egressMark(way: PacketPath, object: KubeObject): Dscp[] {
  if (qosFault(object) !== undefined) return [];
  const rules = objectsAt(specOf(object), "egress");
  const index = rules.findIndex((rule) => {
    const isThere =
      rule["dstCIDR"] === undefined || isInNetwork(textAt(rule, "dstCIDR"), way.destination.address);
    return isThere && selectorOrAll(rule["podSelector"]).matches(way.sender.pod.labels);
  });
  const value = numberAt(rules[index], "dscp");
  return value === undefined ? [] : [{ value, by: decider("EgressQoS", object, index) }];
}

/** Why an EgressQoS is not in force; undefined if it is. Memoized: every packet of the namespace needs it. */
export const qosFault = memoize((object: KubeObject): string | undefined => {
  const rules = objectsAt(specOf(object), "egress");
  if (rules.length > QOS_RULES_MAX) {
    return `cannot create EgressQoS with ${rules.length} rules - maximum is ${QOS_RULES_MAX}`;
  }
  const index = rules.findIndex(isBroken);
  return index < 0 ? undefined : `rule ${index} cannot be applied`;
});

const isBroken = (rule: JsonObject): boolean =>
  (rule["dstCIDR"] !== undefined && !parseCidr(textAt(rule, "dstCIDR"))) ||
  readLabelSelector(rule["podSelector"] ?? {}) instanceof Error;

/** Warns about an EgressQoS that is not in force, does not apply to the network, or has CIDRs with host bits. */
export function mindQos(way: PacketPath, cluster: Cluster): PacketPath {
  const { pod, network } = way.sender;
  const object = cluster.snapshot.get(EGRESS_QOS, pod.namespace, "default");
  if (!object) return way;
  if (!network.isDefault) {
    const text = `EgressQoS ${objectKey(object)} does not mark packets of network ${network.name}`;
    const by = egressMark(way, object).map((mark) => mark.by);
    const warned = warn(way, text);
    return by.length === 0
      ? warned
      : pass(warned, { stage: "dscp", result: "skipped", by, text, evidence: "source" });
  }
  const fault = qosFault(object);
  if (fault !== undefined) return warn(way, `EgressQoS ${objectKey(object)} is not in force: ${fault}`);
  const blocks = objectsAt(specOf(object), "egress").map((rule) => textAt(rule, "dstCIDR"));
  return mindHostBits(way, `EgressQoS ${objectKey(object)}`, blocks, way.destination.address);
}
