// Validates EgressFirewalls, EgressQoSes and NetworkQoSes as a node does, and checks whether a NetworkQoS applies to a
// network of the node. A check returns the error text; undefined if the object is valid.

import { isObject, type JsonObject, objectAt, objectsAt, textAt } from "../../../apimachinery/json/json.ts";
import { parseCidr } from "../../../apimachinery/meta/ip.ts";
import { type KubeObject, specOf } from "../../../apimachinery/meta/object-meta.ts";
import { Complaint, complaintOf, selectorOf, telling } from "../../../controller/conditions.ts";
import { CUDN_KIND, networkOwnerOf, PRIMARY_LABEL } from "../networks/net-conf.ts";
import type { ZoneWorld } from "./zone-world.ts";

const FIREWALL_RULES_MAX = 8000;
const QOS_RULES_MAX = 1000;
const HOST_CIDRS = "k8s.ovn.org/host-cidrs";

type FirewallWorld = Pick<ZoneWorld, "nodes" | "hasNamespace" | "lacksNetwork">;

const rulesOf = (object: KubeObject): JsonObject[] => objectsAt(specOf(object), "egress");

const destinationOf = (rule: JsonObject): JsonObject => objectAt(rule, "to") ?? {};

/** Reports whether the EgressFirewall has a rule with a nodeSelector. */
export const selectsNodes = (object: KubeObject): boolean =>
  rulesOf(object).some((rule) => "nodeSelector" in destinationOf(rule));

export function checkEgressFirewall(object: KubeObject, world: FirewallWorld): string | undefined {
  const { namespace = "" } = object.metadata;
  if (!world.hasNamespace(namespace)) return `namespace ${JSON.stringify(namespace)} not found`;
  if (world.lacksNetwork(namespace)) {
    return `invalid primary network state for namespace ${JSON.stringify(namespace)}: a valid primary user defined network or network attachment definition custom resource, and required namespace label "${PRIMARY_LABEL}" must both be present`;
  }
  const rules = rulesOf(object);
  const complaints = rules.slice(0, FIREWALL_RULES_MAX + 1).flatMap((rule) => {
    const to = destinationOf(rule);
    const destination = `to destination ${textAt(to, "cidrSelector")} for namespace ${namespace}`;
    const complaint = complaintOf(() =>
      telling(`cannot create EgressFirewall Rule ${destination}`, () => checkDestination(to, world)),
    );
    return complaint?.message ?? [];
  });
  if (rules.length > FIREWALL_RULES_MAX + 1) {
    complaints.push(
      `egressFirewall for namespace ${namespace} has too many rules, max allowed number is ${FIREWALL_RULES_MAX}`,
    );
  }
  return listComplaints(complaints);
}

function checkDestination(to: JsonObject, world: FirewallWorld): void {
  const [cidrSelector, dnsName] = [textAt(to, "cidrSelector"), textAt(to, "dnsName")];
  if (dnsName.startsWith("*.")) {
    throw new Complaint(`wildcard dns name is not supported as rule destination, ${dnsName}`);
  }
  if (dnsName !== "") return;
  if (cidrSelector !== "") {
    checkCidr(cidrSelector);
  } else {
    const words = "rule destination has invalid node selector, err";
    const selector = telling(words, () => selectorOf(to["nodeSelector"]));
    for (const node of world.nodes(selector)) checkHostCidrs(node);
  }
}

function checkCidr(text: string): void {
  if (!parseCidr(text)) throw new Complaint(`invalid CIDR address: ${text}`);
}

/** A node without the annotation adds no address; an invalid annotation makes the rule fail (src/ovn/rules.md R33). */
function checkHostCidrs({ metadata }: KubeObject): void {
  const { name = "", annotations = {} } = metadata;
  const text = annotations[HOST_CIDRS];
  if (text === undefined) return;
  const where = `unable to get node host CIDRs for egress firewall, node: ${name}: failed to get node host CIDRs for ${name}`;
  telling(where, () => {
    const what = `failed to unmarshal host cidrs annotation ${text} for node ${JSON.stringify(name)}`;
    const cidrs = telling(what, () => parseJson(text));
    if (!Array.isArray(cidrs)) {
      const kind = isObject(cidrs) ? "object" : typeof cidrs;
      throw new Complaint(`${what}: json: cannot unmarshal ${kind} into Go value of type []string`);
    }
    telling("failed to parse node host cidr", () => {
      for (const cidr of cidrs) checkCidr(String(cidr));
    });
  });
}

export function checkEgressQos(object: KubeObject): string | undefined {
  const rules = rulesOf(object);
  const { namespace = "" } = object.metadata;
  if (rules.length > QOS_RULES_MAX) {
    return `cannot create EgressQoS with ${rules.length} rules - maximum is ${QOS_RULES_MAX}`;
  }
  const complaints = rules.map(({ dstCIDR, podSelector }) => {
    const destination = typeof dstCIDR === "string" ? dstCIDR : "any";
    const what = `cannot create egressqos Rule to destination ${destination} for namespace ${namespace}`;
    return complaintOf(() =>
      telling(what, () => {
        if (typeof dstCIDR === "string") checkCidr(dstCIDR);
        selectorOf(podSelector);
      }),
    );
  });
  return listComplaints(complaints.flatMap((complaint) => complaint?.message ?? []));
}

export function checkNetworkQos(object: KubeObject): string | undefined {
  const { namespace = "", name = "" } = object.metadata;
  const what = (reason: string, details: string): string =>
    `NetworkQoS ${namespace}/${name} - ${reason}, error details: ${details}`;
  const ofPods = complaintOf(() => selectorOf(specOf(object)["podSelector"]));
  if (ofPods) return what("failed to parse source pod selector", ofPods.message);
  const ofRules = complaintOf(() => {
    for (const rule of rulesOf(object)) {
      for (const destination of objectsAt(objectAt(rule, "classifier"), "to"))
        checkQosDestination(destination);
    }
  });
  return ofRules && what("failed to reconcile", ofRules.message);
}

function checkQosDestination({ ipBlock, podSelector, namespaceSelector }: JsonObject): void {
  if (ipBlock !== undefined && (podSelector !== undefined || namespaceSelector !== undefined)) {
    throw new Complaint("specifying both ipBlock and podSelector/namespaceSelector is not allowed");
  }
  telling("error parsing destination namespace selector", () => selectorOf(namespaceSelector));
  telling("error parsing destination pod selector", () => selectorOf(podSelector));
}

/** Reports whether the NetworkQoS selects an existing network; otherwise no zone reports. */
export function concernsNetwork(object: KubeObject, world: ZoneWorld): boolean {
  const selectors = objectsAt(specOf(object), "networkSelectors");
  let found = selectors.length === 0; // the default network
  complaintOf(() => {
    found ||= selectors.some((selector) => selectsNetwork(selector, world));
  });
  return found;
}

function selectsNetwork(selector: JsonObject, world: ZoneWorld): boolean {
  const type = selector["networkSelectionType"];
  if (type === "DefaultNetwork") return true;
  if (type === "ClusterUserDefinedNetworks") {
    const given = objectAt(selector, "clusterUserDefinedNetworkSelector");
    return world.attachments(undefined, selectorOf(given?.["networkSelector"])).some(isOfCluster);
  }
  if (type !== "NetworkAttachmentDefinitions") return false;
  const given = objectAt(selector, "networkAttachmentDefinitionSelector");
  const networks = selectorOf(given?.["networkSelector"]);
  return world
    .namespaces(selectorOf(given?.["namespaceSelector"]))
    .some(({ metadata }) => world.attachments(metadata.name ?? "", networks).length > 0);
}

const isOfCluster = (nad: KubeObject): boolean => networkOwnerOf(nad)?.kind === CUDN_KIND;

/** Joins error texts as Go's aggregate errors do; undefined if there are none. */
const listComplaints = (texts: readonly string[]): string | undefined =>
  texts.length > 1 ? `[${texts.join(", ")}]` : texts[0];

/** Parses JSON of an annotation; throws a Complaint with Go's message. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    const [first] = text.trimStart();
    if (first === undefined) throw new Complaint("unexpected end of JSON input");
    if ('{["-0123456789tfn'.includes(first)) throw new Complaint("invalid JSON");
    throw new Complaint(`invalid character '${first}' looking for beginning of value`);
  }
}
