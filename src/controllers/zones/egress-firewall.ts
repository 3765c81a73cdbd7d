// Whether an EgressFirewall can be put into force on a node.
import { parseCidr } from "../../meta/ip.ts";
import { isObject } from "../../meta/json.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import { PRIMARY_NETWORK_LABEL } from "../status-manager/primary-network.ts";
import { Complaint, complaintOf, inWords, listComplaints, parseJson, selectorOf } from "./complaint.ts";
import type { ZoneWorld } from "./zone-world.ts";

const RULES_MAX = 8000;
const HOST_CIDRS = "k8s.ovn.org/host-cidrs";
const RESOLVABLE_NAME =
  /^(\*\.)?([a-zA-Z0-9]([-a-zA-Z0-9]{0,61}[a-zA-Z0-9])?\.)+[a-zA-Z0-9]([-a-zA-Z0-9]{0,61}[a-zA-Z0-9])?\.?$/;

export interface EgressFirewallOptions {
  /** Names are resolved by DNSNameResolver objects: then wildcards are fine, but names of one label are not. */
  readonly dnsNameResolver: boolean;
}

/** What is wrong with the object; undefined if nothing is. */
export function checkEgressFirewall(
  object: KubeObject,
  world: ZoneWorld,
  options: EgressFirewallOptions,
): string | undefined {
  const namespace = object.metadata.namespace ?? "";
  if (!world.hasNamespace(namespace)) return `namespace ${JSON.stringify(namespace)} not found`;
  if (world.primaryNetwork(namespace).type === "missing") return missingNetwork(namespace);
  const complaints: string[] = [];
  for (const [index, rule] of rulesOf(object).entries()) {
    if (index > RULES_MAX) {
      complaints.push(
        `egressFirewall for namespace ${namespace} has too many rules, max allowed number is ${RULES_MAX}`,
      );
      break;
    }
    const to = isObject(rule) && isObject(rule["to"]) ? rule["to"] : {};
    const complaint = complaintOf(() => checkDestination(to, world, options));
    if (complaint === undefined) continue;
    const destination = String(to["cidrSelector"] ?? "");
    complaints.push(
      `cannot create EgressFirewall Rule to destination ${destination} for namespace ${namespace}: ${complaint}`,
    );
  }
  return complaints.length === 0 ? undefined : listComplaints(complaints);
}

/** True if what the object comes to depends on the nodes. */
export const selectsNodes = (object: KubeObject): boolean =>
  rulesOf(object).some((rule) => isObject(rule) && isObject(rule["to"]) && "nodeSelector" in rule["to"]);

function rulesOf(object: KubeObject): readonly unknown[] {
  const egress = isObject(object["spec"]) ? object["spec"]["egress"] : undefined;
  return Array.isArray(egress) ? egress : [];
}

const missingNetwork = (namespace: string): string =>
  `invalid primary network state for namespace ${JSON.stringify(namespace)}: a valid primary user defined network or network attachment definition custom resource, and required namespace label "${PRIMARY_NETWORK_LABEL}" must both be present`;

function checkDestination(
  to: Record<string, unknown>,
  world: ZoneWorld,
  { dnsNameResolver }: EgressFirewallOptions,
): void {
  const { cidrSelector, dnsName, nodeSelector } = to;
  if (typeof dnsName === "string" && dnsName !== "") {
    if (!dnsNameResolver && dnsName.startsWith("*.")) {
      throw new Complaint(`wildcard dns name is not supported as rule destination, ${dnsName}`);
    }
    if (dnsNameResolver && !RESOLVABLE_NAME.test(dnsName)) {
      throw new Complaint(`invalid dns name used as rule destination, ${dnsName}`);
    }
  } else if (typeof cidrSelector === "string" && cidrSelector !== "") {
    checkCidr(cidrSelector);
  } else {
    const selector = inWords("rule destination has invalid node selector, err", () =>
      selectorOf(nodeSelector),
    );
    for (const node of world.nodes(selector)) checkHostCidrs(node);
  }
}

function checkCidr(text: string): void {
  if (!parseCidr(text)) throw new Complaint(`invalid CIDR address: ${text}`);
}

/** A node without the annotation adds no address; one whose annotation cannot be read spoils the rule. */
function checkHostCidrs({ metadata }: KubeObject): void {
  const { name = "", annotations = {} } = metadata;
  const text = annotations[HOST_CIDRS];
  if (text === undefined) return;
  const where = `unable to get node host CIDRs for egress firewall, node: ${name}: failed to get node host CIDRs for ${name}`;
  inWords(where, () => {
    const what = `failed to unmarshal host cidrs annotation ${text} for node ${JSON.stringify(name)}`;
    const cidrs = inWords(what, () => parseJson(text));
    if (!Array.isArray(cidrs)) {
      const kind = isObject(cidrs) ? "object" : typeof cidrs;
      throw new Complaint(`${what}: json: cannot unmarshal ${kind} into Go value of type []string`);
    }
    inWords("failed to parse node host cidr", () => {
      for (const cidr of cidrs) checkCidr(String(cidr));
    });
  });
}
