// Explains EgressFirewalls, EgressQoSes and AdminPolicyBasedExternalRoutes: resolved rules and gateways.
import { type JsonObject, numberAt, objectAt, objectsAt, textAt } from "../../apimachinery/json/json.ts";
import { type KubeObject, specOf } from "../../apimachinery/meta/object-meta.ts";
import { type Cluster, objectKey, selectorIn, selectorOrAll } from "../cluster/cluster.ts";
import { isLive } from "../cluster/pod-view.ts";
import { reason } from "../reason.ts";
import { qosFault } from "../trace/dscp.ts";
import { externalRoutesOf, readGateways } from "../trace/external-routes.ts";
import { firewallFault } from "../trace/firewall.ts";
import { namedAddresses } from "../trace/names.ts";
import { counted, type Explanation, explained, type Section, zonesSection } from "./explanation.ts";

const rulesOf = (object: KubeObject): JsonObject[] => objectsAt(specOf(object), "egress");

const livePods = (cluster: Cluster, namespace: string) => cluster.pods(namespace).filter(isLive);

export function explainFirewall(cluster: Cluster, object: KubeObject): Explanation {
  const { namespace = "", name = "" } = object.metadata;
  const rules = rulesOf(object);
  const fault = name === "default" ? firewallFault(cluster, object) : "only the object named default counts";
  const who = `EgressFirewall ${objectKey(object)}`;
  const covered = counted(livePods(cluster, namespace).length, "pod");
  const summary =
    fault === undefined
      ? `${who} is asked for ${covered}: the first of ${counted(rules.length, "rule")} that matches decides, and what none matches is allowed`
      : `${who} is not in force: ${fault}`;
  return explained("EgressFirewall", object, summary, {
    reasons:
      fault === undefined
        ? []
        : [reason(0, fault, "correct the rule: one bad rule keeps the whole version from being applied")],
    sections: [firewallSection(cluster, rules), zonesSection(object)],
  });
}

function firewallSection(cluster: Cluster, rules: readonly JsonObject[]): Section {
  const rows = rules.map((rule, index) => {
    const to = objectAt(rule, "to") ?? {};
    const ports = objectsAt(rule, "ports").map(
      (port) => `${textAt(port, "protocol") || "TCP"}${portText(numberAt(port, "port"))}`,
    );
    return [
      String(index),
      textAt(rule, "type"),
      targetOf(to),
      ports.join(", ") || "all",
      meaningOf(cluster, to),
    ];
  });
  return { title: "Rules", columns: ["RULE", "TYPE", "TO", "PORTS", "MEANS"], rows };
}

const portText = (port: number | undefined): string => (port === undefined ? "" : ` ${port}`);

const targetOf = (to: JsonObject): string =>
  textAt(to, "dnsName") || textAt(to, "cidrSelector") || `nodes ${JSON.stringify(to["nodeSelector"] ?? {})}`;

/** The addresses that a rule's DNS name resolves to, or the nodes that its selector matches. */
function meaningOf(cluster: Cluster, to: JsonObject): string {
  const name = textAt(to, "dnsName");
  if (name !== "") {
    const known = namedAddresses(cluster, name);
    return known === undefined
      ? "the addresses that the name is resolved to"
      : known.map(({ text }) => text).join(", ") || "nothing";
  }
  if (textAt(to, "cidrSelector") !== "") return "";
  const selector = selectorIn(to["nodeSelector"]);
  const nodes = [...cluster.nodes.values()].filter(({ object }) => selector.matches(object.metadata.labels));
  return nodes.length === 0
    ? "no node: the rule is left out"
    : nodes
        .map((node) => node.name)
        .sort()
        .join(", ");
}

export function explainQos(cluster: Cluster, object: KubeObject): Explanation {
  const { namespace = "", name = "" } = object.metadata;
  const rules = rulesOf(object);
  const fault = name === "default" ? qosFault(object) : "only the object named default counts";
  const pods = livePods(cluster, namespace);
  const rows = rules.map((rule, index) => {
    const selector = selectorOrAll(rule["podSelector"]);
    const met = pods.filter(({ labels }) => selector.matches(labels)).length;
    return [
      String(index),
      String(numberAt(rule, "dscp") ?? ""),
      textAt(rule, "dstCIDR") || "any",
      String(met),
    ];
  });
  const who = `EgressQoS ${objectKey(object)}`;
  const summary =
    fault === undefined
      ? `${who} marks packets of ${counted(pods.length, "pod")} by the first of ${counted(rules.length, "rule")} that matches`
      : `${who} is not in force: ${fault}`;
  return explained("EgressQoS", object, summary, {
    reasons: fault === undefined ? [] : [reason(0, fault, "correct the rule")],
    sections: [{ title: "Rules", columns: ["RULE", "DSCP", "TO", "PODS"], rows }],
  });
}

export function explainExternalRoute(cluster: Cluster, object: KubeObject): Explanation {
  const gateways = readGateways(cluster, object);
  const namespaces = cluster.namespaces(selectorIn(objectAt(specOf(object), "from")?.["namespaceSelector"]));
  const rows = namespaces.map((namespace) => {
    const inForce = externalRoutesOf(cluster, namespace).flatMap(
      ({ gateways: others }) => others?.policy.metadata.name ?? [],
    );
    const others = inForce.filter((name) => name !== object.metadata.name).join(" or ");
    const isIn = inForce.includes(object.metadata.name ?? "");
    const answer = isIn
      ? `in force${others && `, or under ${others}`}`
      : others
        ? `under ${others} already`
        : "not in force";
    return [namespace, String(livePods(cluster, namespace).length), answer];
  });
  const who = `AdminPolicyBasedExternalRoute ${object.metadata.name}`;
  const taken = rows.filter(([, , answer]) => answer?.startsWith("under"));
  const reasons =
    typeof gateways === "string"
      ? [reason(0, gateways, "correct the next hops")]
      : [
          ...(gateways.hops.length === 0
            ? [reason(0, "none of its gateways is there and ready", "see the pods that it selects")]
            : []),
          ...(namespaces.length === 0
            ? [reason(0, "it selects no namespace", "see its namespaceSelector")]
            : []),
          ...(taken.length > 0
            ? [
                reason(
                  0,
                  `namespaces ${taken.map(([namespace]) => namespace).join(", ")} are under another policy`,
                  "let one policy select a namespace",
                ),
              ]
            : []),
        ];
  const hops = typeof gateways === "string" ? [] : gateways.hops.map(({ text }) => [text]);
  const [first] = reasons;
  const summary = first
    ? `${who}: ${first.text}`
    : `${who} sends what leaves ${counted(namespaces.length, "namespace")} to ${hops.flat().join(", ")}`;
  return explained("AdminPolicyBasedExternalRoute", object, summary, {
    reasons,
    sections: [
      { title: "Gateways", columns: ["ADDRESS"], rows: hops },
      { title: "Namespaces", columns: ["NAMESPACE", "PODS", "ANSWER"], rows },
      zonesSection(object),
    ],
  });
}
