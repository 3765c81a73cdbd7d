// Stage 5: the EgressFirewall of the namespace. The first matching rule decides; without a match the packet is allowed
// (src/ovn/rules.md R30 to R37).

import {
  isObject,
  type JsonObject,
  objectAt,
  objectsAt,
  parsedJson,
  textAt,
} from "../../apimachinery/json/json.ts";
import {
  type Cidr,
  cidrContains,
  cidrsOverlap,
  type IpAddress,
  parseCidr,
} from "../../apimachinery/meta/ip.ts";
import { readLabelSelector } from "../../apimachinery/meta/label-selector.ts";
import { memoize } from "../../apimachinery/meta/memoize.ts";
import { type KubeObject, specOf } from "../../apimachinery/meta/object-meta.ts";
import { isWithin } from "../cluster/cidr-texts.ts";
import { type Cluster, objectKey, selectorIn } from "../cluster/cluster.ts";
import { mindHostBits } from "./host-bits.ts";
import { namedAddresses, sameName } from "./names.ts";
import {
  type Destination,
  decider,
  doubt,
  type Evidence,
  end,
  type PacketPath,
  pass,
  type Step,
  warn,
} from "./packet-path.ts";
import { needsPort, portsHold } from "./ports.ts";

const KIND = "EgressFirewall";
/** Priorities go down from 10000 to 2000, one for each rule. */
const RULES_MAX = 8001;
const HOST_CIDRS = "k8s.ovn.org/host-cidrs";

export function throughFirewall(way: PacketPath, cluster: Cluster): PacketPath[] {
  const { pod, network } = way.sender;
  const firewall = cluster.snapshot.get("egressfirewalls.k8s.ovn.org", pod.namespace, "default");
  if (!firewall) return [way];
  if (network.topology === "localnet") return [way];
  const fault = firewallFault(cluster, firewall);
  if (fault !== undefined) return notInForce(way, firewall, fault);
  return tryRules(way, cluster, firewall, objectsAt(specOf(firewall), "egress"), 0);
}

/** One invalid rule keeps the whole version from being applied (src/ovn/rules.md R36). */
function notInForce(way: PacketPath, firewall: KubeObject, fault: string): PacketPath[] {
  const by = [decider(KIND, firewall)];
  const text = `EgressFirewall ${objectKey(firewall)} is not in force (${fault}): everything is allowed`;
  const next = pass(way, { stage: "egress-firewall", result: "skipped", by, text, evidence: "test" });
  if ((firewall.metadata.generation ?? 1) <= 1) return [next];
  return [warn(next, "the rules that the EgressFirewall had before its last change may still be in force")];
}

type Match = "yes" | "no" | "if resolved";

function tryRules(
  way: PacketPath,
  cluster: Cluster,
  firewall: KubeObject,
  rules: readonly JsonObject[],
  from: number,
): PacketPath[] {
  const { destination, sender } = way;
  let current = way;
  for (let index = from; index < rules.length; index++) {
    const rule = rules[index] ?? {};
    const ports = objectsAt(rule, "ports");
    const match = matches(objectAt(rule, "to") ?? {}, destination, sender.network.subnets, cluster);
    if (match === "no") continue;
    if (!portsHold(ports, destination)) {
      if (needsPort(ports, destination))
        current = warn(current, "no port was given: rules for certain ports were not met");
      continue;
    }
    if (match === "yes") return [decide(heeded(current, rule, index), firewall, rule, index, "test")];
    const name = textAt(objectAt(rule, "to"), "dnsName");
    const why = `EgressFirewall rule ${index} is for ${name}: it holds only for the addresses that the name was resolved to`;
    const resolved = decide(doubt(current, why), firewall, rule, index, "source");
    return [resolved, ...tryRules(doubt(current, why), cluster, firewall, rules, index + 1)];
  }
  const text = `no rule of EgressFirewall ${objectKey(firewall)} matches: allowed`;
  const step: Step = {
    stage: "egress-firewall",
    result: "allowed",
    by: [decider(KIND, firewall)],
    text,
    evidence: "docs",
  };
  return [pass(current, step)];
}

const heeded = (way: PacketPath, rule: JsonObject, index: number): PacketPath =>
  mindHostBits(
    way,
    `EgressFirewall rule ${index}`,
    [textAt(objectAt(rule, "to"), "cidrSelector")],
    way.destination.address,
  );

function decide(
  way: PacketPath,
  firewall: KubeObject,
  rule: JsonObject,
  index: number,
  evidence: Evidence,
): PacketPath {
  const by = [decider(KIND, firewall, index)];
  const denies = textAt(rule, "type") === "Deny";
  const text = `EgressFirewall ${objectKey(firewall)} rule ${index} ${denies ? "denies" : "allows"} ${toText(objectAt(rule, "to") ?? {})}`;
  const step: Step = { stage: "egress-firewall", result: denies ? "denied" : "allowed", by, text, evidence };
  return denies ? end(way, step, { verdict: "denied", node: way.sender.pod.node }) : pass(way, step);
}

const toText = (to: JsonObject): string =>
  textAt(to, "dnsName") || textAt(to, "cidrSelector") || "the nodes that it selects";

function matches(
  to: JsonObject,
  { address, name }: Destination,
  podSubnets: readonly Cidr[],
  cluster: Cluster,
): Match {
  const [dnsName, cidrText] = [textAt(to, "dnsName"), textAt(to, "cidrSelector")];
  if (dnsName !== "") return matchesName(dnsName, address, name, cluster);
  if (cidrText !== "") {
    const cidr = parseCidr(cidrText);
    if (!cidr || !cidrContains(cidr, address)) return "no";
    // Upstream excludes pod subnets that overlap the CIDR (src/ovn/rules.md R32).
    const excluded = podSubnets.filter((subnet) => cidrsOverlap(subnet, cidr));
    return isWithin(excluded, address) ? "no" : "yes";
  }
  const node = cluster.nodeAt(address);
  const isSelected =
    node !== undefined &&
    (node.host ?? []).some((cidr) => cidr.address.text === address.text) &&
    selectorIn(to["nodeSelector"]).matches(node.object.metadata.labels);
  return isSelected ? "yes" : "no";
}

/** With known addresses of the name the rule matches these only; otherwise the match depends on resolution. */
function matchesName(
  dnsName: string,
  address: IpAddress,
  asked: string | undefined,
  cluster: Cluster,
): Match {
  if (isWithin(cluster.networks.default.subnets, address)) return "no";
  const known = namedAddresses(cluster, dnsName);
  if (known !== undefined) return known.some(({ text }) => text === address.text) ? "yes" : "no";
  if (asked !== undefined) return sameName(dnsName, asked) ? "if resolved" : "no";
  return "if resolved";
}

/** Why this version of the object is not applied; undefined if it is. Memoized: every packet of the namespace needs it. */
export const firewallFault = (cluster: Cluster, firewall: KubeObject): string | undefined =>
  faultsIn(cluster)(firewall);

const faultsIn = memoize((cluster: Cluster) =>
  memoize((firewall: KubeObject): string | undefined => {
    const rules = objectsAt(specOf(firewall), "egress");
    if (rules.length > RULES_MAX) return `it has ${rules.length} rules, more than ${RULES_MAX}`;
    for (const [index, rule] of rules.entries()) {
      const fault = destinationFault(objectAt(rule, "to") ?? {}, cluster);
      if (fault !== undefined) return `rule ${index}: ${fault}`;
    }
    return undefined;
  }),
);

/** DNSNameResolver objects imply that the feature is enabled. */
const resolvesWildcards = memoize(({ facts, snapshot }: Cluster): boolean => {
  const [any] = snapshot.list("dnsnameresolvers.network.openshift.io");
  return facts.dnsNameResolver || any !== undefined;
});

function destinationFault(to: JsonObject, cluster: Cluster): string | undefined {
  const [dnsName, cidr] = [textAt(to, "dnsName"), textAt(to, "cidrSelector")];
  if (dnsName !== "") {
    const isWildcard = dnsName.startsWith("*.") && !resolvesWildcards(cluster);
    return isWildcard ? `wildcard dns name is not supported as rule destination, ${dnsName}` : undefined;
  }
  if (cidr !== "") return parseCidr(cidr) ? undefined : `invalid CIDR address: ${cidr}`;
  const selector = readLabelSelector(to["nodeSelector"]);
  if (selector instanceof Error) return selector.message;
  for (const { name, object } of cluster.nodes.values()) {
    const text = object.metadata.annotations?.[HOST_CIDRS];
    if (text === undefined || !selector.matches(object.metadata.labels)) continue;
    if (!isCidrList(parsedJson(text))) return `host-cidrs of node ${name} cannot be read`;
  }
  return undefined;
}

const isCidrList = (value: unknown): boolean =>
  Array.isArray(value) && value.every((item) => !isObject(item) && parseCidr(String(item)) !== undefined);
