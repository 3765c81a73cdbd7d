// What an EgressService asks for, given its Service and the nodes behind that, and which nodes could be its host.
import { type Cidr, cidrContains, parseIp } from "../../meta/ip.ts";
import { objectAt, objectsAt, textAt, textsAt } from "../../meta/json.ts";
import { InvalidSelectorError } from "../../meta/label-requirement.ts";
import { type LabelSelector, readLabelSelector } from "../../meta/label-selector.ts";
import { isReady, type KubeObject, specOf } from "../../meta/object-meta.ts";
import { oncePer } from "../../meta/once-per.ts";
import { answers } from "./node-state.ts";

/** status.host of a service whose traffic leaves through every pod's own node. */
export const ALL_HOSTS = "ALL";
/** status.host of a service that has no node. */
export const NO_HOST = "";

const HOSTNAME_LABEL = "kubernetes.io/hostname";
const SERVICE_NAME = "kubernetes.io/service-name";

/** The Service that an EndpointSlice is of, if it says one. */
export function serviceOf({ metadata }: KubeObject): string | undefined {
  const name = metadata.labels?.[SERVICE_NAME];
  return name ? `${metadata.namespace ?? ""}/${name}` : undefined;
}

/**
 * Finds the nodes with endpoints in the EndpointSlices of a Service, sorted; none if all its endpoints are pods on the
 * hosts' networks. Endpoints count whether they are ready or not.
 */
export function backendNodesFinder(
  clusterNetworks: readonly Cidr[],
): (slices: Iterable<KubeObject>) => string[] {
  const isInside = (text: string): boolean => {
    // Endpoints may carry IPv4 addresses from a time when leading zeros were let in.
    const ip = parseIp(text.replace(/(^|\.)0+(?=\d+(\.|$))/g, "$1"));
    return ip !== undefined && clusterNetworks.some((network) => cidrContains(network, ip));
  };
  const read = oncePer((slice: KubeObject) => {
    const endpoints = slice["addressType"] === "FQDN" ? [] : objectsAt(slice, "endpoints");
    const placed = endpoints.filter(({ nodeName }) => typeof nodeName === "string");
    return {
      nodes: placed.map((endpoint) => textAt(endpoint, "nodeName")),
      inCluster: placed.some((endpoint) => textsAt(endpoint, "addresses").some(isInside)),
    };
  });
  return (slices) => {
    const found = [...slices].map(read);
    if (!found.some(({ inCluster }) => inCluster)) return [];
    return [...new Set(found.flatMap(({ nodes }) => nodes))].sort();
  };
}

/** status.host; undefined while there is no status. */
export function hostOf(egressService: KubeObject): string | undefined {
  const host = objectAt(egressService, "status")?.["host"];
  return typeof host === "string" ? host : undefined;
}

/** The host to write where no node is chosen, the nodes that will do, or what is wrong with the selector of these. */
export type Requirement = typeof NO_HOST | typeof ALL_HOSTS | LabelSelector | InvalidSelectorError;

/** The order of the questions decides. */
export function requirementOf(
  egressService: KubeObject,
  service: KubeObject | undefined,
  backendNodes: readonly string[],
): Requirement {
  const spec = specOf(egressService);
  if (service === undefined) return NO_HOST;
  if (textAt(spec, "sourceIPBy") === "Network") return ALL_HOSTS;
  const ingress = objectsAt(objectAt(objectAt(service, "status"), "loadBalancer"), "ingress");
  if (ingress.length === 0) return NO_HOST;
  // Traffic from outside may then only enter through nodes that have an endpoint.
  const isLocal = textAt(specOf(service), "externalTrafficPolicy") === "Local";
  const selector = selectorFor(objectAt(spec, "nodeSelector"), isLocal ? backendNodes : []);
  return backendNodes.length > 0 || selector instanceof InvalidSelectorError ? selector : NO_HOST;
}

/** The nodeSelector, and with it the names given: they are compared with the label, not with the names of nodes. */
function selectorFor(
  nodeSelector: Readonly<Record<string, unknown>> = {},
  hostnames: readonly string[],
): LabelSelector | InvalidSelectorError {
  if (hostnames.length === 0) return readLabelSelector(nodeSelector);
  const written = nodeSelector["matchExpressions"];
  const named = { key: HOSTNAME_LABEL, operator: "In", values: hostnames };
  const matchExpressions = [...(Array.isArray(written) ? written : []), named];
  return readLabelSelector({ ...nodeSelector, matchExpressions });
}

/** What the controller wants to know of a Node. Only a ready one has services, and `answers` is if it were asked now. */
export function readHost(node: KubeObject) {
  const { name = "", labels = {} } = node.metadata;
  return { name, labels, ready: isReady(node), answers: answers(node) };
}
