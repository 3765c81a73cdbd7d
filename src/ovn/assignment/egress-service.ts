// Requirements of an EgressService for its host, from its Service and endpoints (src/ovn/rules.md R110 to R114).

import { objectAt, objectsAt, textAt, textsAt } from "../../apimachinery/json/json.ts";
import { type Cidr, cidrContains, parseIp } from "../../apimachinery/meta/ip.ts";
import { InvalidSelectorError } from "../../apimachinery/meta/label-requirement.ts";
import { type LabelSelector, readLabelSelector } from "../../apimachinery/meta/label-selector.ts";
import { memoize } from "../../apimachinery/meta/memoize.ts";
import { isReady, type KubeObject, specOf } from "../../apimachinery/meta/object-meta.ts";
import { answers } from "../../cluster/node-annotations.ts";

/** status.host for sourceIPBy Network: packets leave from the pod's own node (src/ovn/rules.md R114). */
export const ALL_HOSTS = "ALL";
/** status.host without a node. */
export const NO_HOST = "";

const HOSTNAME_LABEL = "kubernetes.io/hostname";
const SERVICE_NAME = "kubernetes.io/service-name";

/** Key of the Service that owns an EndpointSlice, from its label. */
export function serviceOf({ metadata }: KubeObject): string | undefined {
  const name = metadata.labels?.[SERVICE_NAME];
  return name ? `${metadata.namespace ?? ""}/${name}` : undefined;
}

/**
 * Returns a function that lists the nodes of a Service's endpoints, sorted; empty if all endpoints are hostNetwork pods.
 * Conditions of endpoints are not read.
 */
export function backendNodesFinder(
  clusterNetworks: readonly Cidr[],
): (slices: Iterable<KubeObject>) => string[] {
  const isInside = (text: string): boolean => {
    // Older API servers accepted IPv4 addresses with leading zeros in endpoints.
    const ip = parseIp(text.replace(/(^|\.)0+(?=\d+(\.|$))/g, "$1"));
    return ip !== undefined && clusterNetworks.some((network) => cidrContains(network, ip));
  };
  const read = memoize((slice: KubeObject) => {
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

/** status.host; undefined without a status. */
export function hostOf(egressService: KubeObject): string | undefined {
  const host = objectAt(egressService, "status")?.["host"];
  return typeof host === "string" ? host : undefined;
}

/** The host to write if no node is chosen, the selector of suitable nodes, or the error of an invalid selector. */
export type Requirement = typeof NO_HOST | typeof ALL_HOSTS | LabelSelector | InvalidSelectorError;

/** Checks in the order of upstream; the first result is final (src/ovn/rules.md R110 to R114). */
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
  // With Local, the host must be a node with an endpoint (src/ovn/rules.md R112).
  const isLocal = textAt(specOf(service), "externalTrafficPolicy") === "Local";
  const selector = selectorFor(objectAt(spec, "nodeSelector"), isLocal ? backendNodes : []);
  return backendNodes.length > 0 || selector instanceof InvalidSelectorError ? selector : NO_HOST;
}

/** The nodeSelector and a requirement on the hostname label, which is compared instead of the node name. */
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

/** The node fields that the controller uses. `answers`: the reachability probe would succeed now. */
export function readHost(node: KubeObject) {
  const { name = "", labels = {} } = node.metadata;
  return { name, labels, ready: isReady(node), answers: answers(node) };
}
