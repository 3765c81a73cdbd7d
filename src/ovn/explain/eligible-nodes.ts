// Explains a Node, a Namespace and a Pod: assigned egress addresses, and the egress objects that apply.

import { textsAt } from "../../apimachinery/json/json.ts";
import type { IpFamily } from "../../apimachinery/meta/ip.ts";
import { type KubeObject, specOf } from "../../apimachinery/meta/object-meta.ts";
import { assignmentOf } from "../assignment/assignment.ts";
import { EGRESS_ASSIGNABLE_LABEL as LABEL } from "../assignment/node-state.ts";
import { type Cluster, objectKey, selectorIn } from "../cluster/cluster.ts";
import { nodeView } from "../cluster/node-view.ts";
import { isLive, type PodView } from "../cluster/pod-view.ts";
import { type Reason, reason } from "../reason.ts";
import { allEgressIps, egressIpsFor, matchingEgressIps } from "../trace/egress-ip-source.ts";
import { egressServicesOf } from "../trace/egress-service.ts";
import { externalRouteOf } from "../trace/external-routes.ts";
import { sourceOrVerdict } from "../trace/outcome.ts";
import { SOMEBODY_OUTSIDE } from "../trace/outside.ts";
import { trace } from "../trace/trace.ts";
import { servicesOn } from "./egress-service.ts";
import { byFirst, counted, type Explanation, explained, type Section } from "./explanation.ts";

export function explainNode(cluster: Cluster, object: KubeObject): Explanation {
  const { name } = nodeView(object);
  const items = allEgressIps(cluster).flatMap((view) => {
    return view.items.filter(({ node }) => node === name).map(({ address }) => [address.text, view.name]);
  });
  const services = servicesOn(cluster, name);
  const reasons = againstNode(cluster, name);
  const can = reasons.length === 0 ? "can carry more" : `cannot carry more: ${reasons[0]?.text}`;
  const summary = `Node ${name} carries ${counted(items.length, "egress address", "egress addresses")} and ${counted(services.length, "EgressService")}, and ${can}`;
  return explained("Node", object, summary, {
    reasons,
    sections: [
      { title: "Egress addresses", columns: ["ADDRESS", "EGRESSIP"], rows: items.sort(byFirst) },
      { title: "EgressServices", columns: ["NAME"], rows: services.map((key) => [key]) },
      networksSection(cluster, object),
    ],
  });
}

/** Reasons why the node cannot host any further address. */
function againstNode(cluster: Cluster, name: string): Reason[] {
  const { allocator } = assignmentOf(cluster);
  const state = allocator.node(name);
  if (!state) return [];
  const { capacity } = state;
  const held = allocator.describe().find(({ node }) => node === name)?.allocations ?? {};
  const count = (family: IpFamily) =>
    Object.keys(held).filter((text) => text.includes(":") === (family === 6)).length;
  const isFull = (limit: number | undefined, used: number): boolean => limit !== undefined && used >= limit;
  const unreadable = allocator.nodes().filter(({ hostAddresses }) => hostAddresses === undefined);
  return [
    ...(state.labelled
      ? []
      : [reason(11, `it has no label ${LABEL}`, `kubectl label node ${name} ${LABEL}=`)]),
    ...(state.ready ? [] : [reason(11, "it is not Ready", "repair the node")]),
    ...(state.reachable
      ? []
      : [reason(12, "it does not answer", "repair the node; see its port for health checks")]),
    ...(state.known
      ? []
      : [
          reason(
            13,
            "its annotations node-primary-ifaddr, node-subnets or egress-ipconfig are absent or cannot be read",
            "repair the annotations",
          ),
        ]),
    ...(unreadable.length === 0
      ? []
      : [
          reason(
            14,
            `host-cidrs of ${unreadable
              .map((one) => one.name)
              .sort()
              .join(", ")} cannot be read: nobody gets a new address`,
            "repair the annotation",
          ),
        ]),
    ...(isFull(capacity.total, count(4) + count(6)) ||
    isFull(capacity.ipv4, count(4)) ||
    isFull(capacity.ipv6, count(6))
      ? [reason(10, "its capacity is used up", "take a larger instance, or fewer addresses")]
      : []),
  ];
}

function networksSection({ facts }: Cluster, object: KubeObject): Section {
  const { primary, host = [], cloud } = nodeView(object);
  const known = new Set(primary.map(({ address }) => address.text));
  const rows = [
    ...(cloud ?? primary).map(({ text }) => [text, cloud ? "of the cloud" : "primary"]),
    ...(facts.onCloud
      ? []
      : host.filter(({ address }) => !known.has(address.text)).map(({ text }) => [text, "secondary"])),
  ];
  return { title: "Networks that addresses can be in", columns: ["NETWORK", "ROLE"], rows };
}

export function explainNamespace(cluster: Cluster, object: KubeObject): Explanation {
  const { name = "" } = object.metadata;
  const pods = cluster.pods(name).filter(isLive);
  const rows = pods.map((pod) => [pod.name, pod.node, ...leavesBy(cluster, pod)]).sort(byFirst);
  const sources = new Set(rows.map(([, , source]) => source));
  const network = cluster.networks.ofNamespace(name);
  const summary = network
    ? `Namespace ${name}: ${counted(pods.length, "pod")} in network ${network.name}${sources.size === 0 ? "" : `; they leave by ${[...sources].join(", ")}`}`
    : `Namespace ${name} asks for a primary network that is not there: its pods have no way out`;
  return explained("Namespace", object, summary, {
    reasons: network
      ? []
      : [
          reason(
            31,
            "the primary network is not there",
            "create the UserDefinedNetwork, or remove the label",
          ),
        ],
    sections: [
      appliesSection(cluster, name),
      { title: "Pods", columns: ["POD", "NODE", "LEAVES BY", "FROM"], rows },
    ],
  });
}

export function explainPod(cluster: Cluster, object: KubeObject): Explanation {
  const { namespace = "", name = "" } = object.metadata;
  const pod = cluster.pod(namespace, name);
  if (!pod) return explained("Pod", object, `Pod ${namespace}/${name} is not there`, {});
  const network = cluster.networks.ofNamespace(namespace);
  const families = network ? cluster.familiesOf(pod, network) : [];
  const traces = (families.length > 0 ? families : ([4] as const)).map((family) =>
    trace(cluster, { namespace, pod: name, to: SOMEBODY_OUTSIDE[family], protocol: "tcp" }),
  );
  const unused = traces.flatMap(({ unusedEgressIps }) => unusedEgressIps);
  const rows = traces.flatMap(({ outcomes }) =>
    outcomes.map((one) => [one.verdict, one.source ?? "", one.node ?? "", one.interface ?? "", one.text]),
  );
  const summary = traces
    .map((one) => one.summary.replace(` to ${one.to}`, " to the world outside"))
    .join("; ");
  const served = network ? egressServicesOf(cluster, pod, cluster.addressesOf(pod, network)) : [];
  return explained("Pod", object, summary, {
    reasons: unused.flatMap(({ reasons }) => reasons),
    sections: [
      { title: "To the world outside", columns: ["VERDICT", "SOURCE", "NODE", "INTERFACE", "WHY"], rows },
      {
        title: "EgressServices",
        columns: ["NAME", "HOST"],
        rows: served.map(({ object: one, host }) => [objectKey(one), host]),
      },
      {
        title: "EgressIPs that are not used",
        columns: ["NAME", "WHY"],
        rows: unused.flatMap(({ name: one, reasons }) => reasons.map(({ text }) => [one, text])),
      },
      appliesSection(cluster, namespace, pod),
    ],
  });
}

/** Egress source IP and node, or the verdict if the packet is not allowed. */
function leavesBy(cluster: Cluster, pod: PodView): [string, string] {
  const family = pod.statusAddresses[0]?.family ?? 4;
  const { outcomes } = trace(cluster, {
    namespace: pod.namespace,
    pod: pod.name,
    to: SOMEBODY_OUTSIDE[family],
    protocol: "tcp",
    packet: "allowed anyway",
  });
  const either = (texts: readonly string[]): string => [...new Set(texts)].join(" or ");
  return [either(outcomes.map(sourceOrVerdict)), either(outcomes.map(({ node = "" }) => node))];
}

/** The egress objects that apply to a namespace, or to one of its pods. */
function appliesSection(cluster: Cluster, namespace: string, pod?: PodView): Section {
  const { snapshot } = cluster;
  const egressIps = pod ? matchingEgressIps(cluster, pod) : egressIpsFor(cluster, namespace);
  const inNamespace = (resource: string, kind: string): string[][] =>
    snapshot.list(resource, namespace).map((object) => [kind, object.metadata.name ?? ""]);
  const policies = snapshot.list("networkpolicies.networking.k8s.io", namespace).filter((policy) => {
    const spec = specOf(policy);
    const isEgress = textsAt(spec, "policyTypes").includes("Egress") || spec["egress"] !== undefined;
    return isEgress && (pod === undefined || selectorIn(spec["podSelector"]).matches(pod.labels));
  });
  const external = externalRouteOf(cluster, namespace).gateways?.policy.metadata.name;
  const rows = [
    ...egressIps.map(({ name, items }) => [
      "EgressIP",
      `${name} (${items.map(({ address }) => address.text).join(", ") || "no address"})`,
    ]),
    ...inNamespace("egressfirewalls.k8s.ovn.org", "EgressFirewall"),
    ...inNamespace("egressqoses.k8s.ovn.org", "EgressQoS"),
    ...inNamespace("networkqoses.k8s.ovn.org", "NetworkQoS"),
    ...inNamespace("egressservices.k8s.ovn.org", "EgressService"),
    ...policies.map(({ metadata }) => ["NetworkPolicy", metadata.name ?? ""]),
    ...(external === undefined ? [] : [["AdminPolicyBasedExternalRoute", external]]),
  ];
  return { title: "What applies", columns: ["KIND", "NAME"], rows };
}
