// Why an EgressService has its host, or none (src/ovn/rules.md R110 to R116).

import { objectAt } from "../../apimachinery/json/json.ts";
import type { LabelSelector } from "../../apimachinery/meta/label-selector.ts";
import { memoize } from "../../apimachinery/meta/memoize.ts";
import type { KubeObject } from "../../apimachinery/meta/object-meta.ts";
import {
  ALL_HOSTS,
  backendNodesFinder,
  hostOf,
  NO_HOST,
  readHost,
  requirementOf,
} from "../assignment/egress-service.ts";
import { networksIn } from "../cluster/cidr-texts.ts";
import { type Cluster, objectKey } from "../cluster/cluster.ts";
import { type Reason, reason } from "../reason.ts";
import { endpointsOf, ingressAddresses, slicesOf } from "../trace/services.ts";
import { byFirst, type Explanation, explained, type Section } from "./explanation.ts";

export function explainEgressService(cluster: Cluster, object: KubeObject): Explanation {
  const { namespace = "", name = "" } = object.metadata;
  const service = cluster.snapshot.get("services", namespace, name);
  const nodes = service ? endpointHosts(cluster, service) : [];
  const requirement = requirementOf(object, service, nodes);
  const host = hostOf(object) ?? "";
  const selector = typeof requirement === "string" || requirement instanceof Error ? undefined : requirement;
  const reasons = host === "" ? whyNone(cluster, requirement, service, nodes) : [];
  const [first] = reasons;
  const summary =
    host === ALL_HOSTS
      ? `EgressService ${namespace}/${name} lets each endpoint leave by its own node`
      : host === ""
        ? `EgressService ${namespace}/${name} has no host: ${first?.text ?? "it has not been looked at yet"}`
        : `EgressService ${namespace}/${name} has its host on ${host}: its endpoints leave there with ${ingressText(service)}`;
  return explained("EgressService", object, summary, {
    reasons,
    sections: [hostsSection(cluster, host, selector, nodes), endpointsSection(cluster, service)],
  });
}

const finderOf = memoize(({ facts }: Cluster) => backendNodesFinder(networksIn(facts.clusterSubnets)));

/** The nodes with endpoints; empty if all endpoints are hostNetwork pods. */
const endpointHosts = (cluster: Cluster, service: KubeObject): string[] =>
  finderOf(cluster)(slicesOf(cluster, service));

const ingressText = (service: KubeObject | undefined): string =>
  (service ? ingressAddresses(service) : []).map(({ text }) => text).join(", ") || "no address";

function whyNone(
  cluster: Cluster,
  requirement: ReturnType<typeof requirementOf>,
  service: KubeObject | undefined,
  nodes: readonly string[],
): Reason[] {
  if (!service) return [reason(0, "there is no Service of its name", "create the Service")];
  if (requirement instanceof Error) {
    return [
      reason(0, `its nodeSelector cannot be understood: ${requirement.message}`, "correct the nodeSelector"),
    ];
  }
  if (requirement === NO_HOST && nodes.length > 0) {
    return [
      reason(0, "its Service has no ingress address", "give the Service an address of a load balancer"),
    ];
  }
  if (requirement === NO_HOST) {
    return [
      reason(
        0,
        "its Service has no endpoint with a node and an address of the cluster's networks",
        "see the selector of the Service and its pods",
      ),
    ];
  }
  const hosts = [...cluster.nodes.values()].map(({ object }) => readHost(object));
  const selector = typeof requirement === "string" ? undefined : requirement;
  const suitable = hosts.filter(({ labels }) => selector?.matches(labels) ?? true);
  if (suitable.length === 0)
    return [reason(0, "no node matches what it asks for", "label a node, or change the nodeSelector")];
  const ready = suitable.filter((one) => one.ready && one.answers);
  if (ready.length === 0) return [reason(0, "no node that matches is Ready and answers", "repair a node")];
  return [];
}

/** Each node with the reasons why it cannot be the host. */
function hostsSection(
  cluster: Cluster,
  host: string,
  selector: LabelSelector | undefined,
  endpoints: readonly string[],
): Section {
  const loads = new Map<string, number>();
  for (const object of cluster.snapshot.list("egressservices.k8s.ovn.org")) {
    const at = hostOf(object) ?? "";
    loads.set(at, (loads.get(at) ?? 0) + 1);
  }
  const rows = [...cluster.nodes.values()].map(({ name, object }) => {
    const { labels, ready, answers } = readHost(object);
    const against = [
      ...(selector?.matches(labels) === false ? ["does not match"] : []),
      ...(ready ? [] : ["is not Ready"]),
      ...(answers ? [] : ["does not answer"]),
    ];
    const answer = name === host ? "host" : against.length > 0 ? against.join(", ") : "could be";
    return [name, String(loads.get(name) ?? 0), endpoints.includes(name) ? "yes" : "no", answer];
  });
  return {
    title: "Each node",
    columns: ["NODE", "SERVICES", "ENDPOINT", "ANSWER"],
    rows: rows.sort(byFirst),
  };
}

function endpointsSection(cluster: Cluster, service: KubeObject | undefined): Section {
  const rows = service
    ? ([4, 6] as const)
        .flatMap((family) => endpointsOf(cluster, service, undefined, family))
        .map(({ address, node }) => [
          address.text,
          node,
          cluster.podAt(cluster.networks.default, address)?.name ?? "",
        ])
    : [];
  return { title: "Endpoints", columns: ["ADDRESS", "NODE", "POD"], rows };
}

/** The EgressServices whose status.host is the node. */
export const servicesOn = (cluster: Cluster, node: string): string[] =>
  cluster.snapshot
    .list("egressservices.k8s.ovn.org")
    .filter((object) => objectAt(object, "status")?.["host"] === node)
    .map(objectKey)
    .sort();
