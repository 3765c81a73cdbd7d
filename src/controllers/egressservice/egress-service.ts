// EgressServices: what their controller reads of them, what one asks for, given its Service and the nodes behind that, and
// how status.host is written.

import type { Client } from "../../client/client.ts";
import { type Cidr, cidrContains, parseIp } from "../../meta/ip.ts";
import { objectAt, objectsAt, textAt, textsAt } from "../../meta/json.ts";
import {
  InvalidSelectorError,
  type LabelSelector,
  labelSelectorFromObject,
} from "../../meta/label-selector.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import { changeObject, identityOf, ovn } from "../kit/api.ts";
import { NestedMap } from "../kit/nested-map.ts";

// The nodes behind each Service, from its EndpointSlices. Endpoints count whether they are ready or not.

const SERVICE_NAME = "kubernetes.io/service-name";

interface SliceNodes {
  readonly nodes: readonly string[];
  /** At least one endpoint with a node has an address of the cluster network; the others are pods on the host's. */
  readonly inCluster: boolean;
}

export class EndpointIndex {
  readonly #clusterNetworks: readonly Cidr[];
  /** By Service and EndpointSlice. */
  readonly #slices = new NestedMap<SliceNodes>();

  constructor(clusterNetworks: readonly Cidr[]) {
    this.#clusterNetworks = clusterNetworks;
  }

  /** Takes in a slice; answers with the Service it is of, if it says one. */
  set(slice: KubeObject): string | undefined {
    const service = serviceOf(slice);
    if (service !== undefined) this.#slices.set(service, slice.metadata.name ?? "", this.#read(slice));
    return service;
  }

  delete(slice: KubeObject): string | undefined {
    const service = serviceOf(slice);
    if (service !== undefined) this.#slices.delete(service, slice.metadata.name ?? "");
    return service;
  }

  /** The nodes with endpoints of the Service, sorted; none if all its endpoints are on the hosts' networks. */
  nodesOf(service: string): string[] {
    const slices = [...this.#slices.of(service).values()];
    if (!slices.some(({ inCluster }) => inCluster)) return [];
    return [...new Set(slices.flatMap(({ nodes }) => nodes))].sort();
  }

  #read(slice: KubeObject): SliceNodes {
    const nodes: string[] = [];
    let inCluster = false;
    for (const endpoint of slice["addressType"] === "FQDN" ? [] : objectsAt(slice, "endpoints")) {
      if (typeof endpoint["nodeName"] !== "string") continue;
      nodes.push(endpoint["nodeName"]);
      inCluster ||= textsAt(endpoint, "addresses").some((text) => this.#isInside(text));
    }
    return { nodes, inCluster };
  }

  #isInside(text: string): boolean {
    // Endpoints may carry IPv4 addresses from a time when leading zeros were let in.
    const ip = parseIp(text.replace(/(^|\.)0+(?=\d+(\.|$))/g, "$1"));
    return ip !== undefined && this.#clusterNetworks.some((network) => cidrContains(network, ip));
  }
}

function serviceOf({ metadata }: KubeObject): string | undefined {
  const name = metadata.labels?.[SERVICE_NAME];
  return name ? `${metadata.namespace ?? ""}/${name}` : undefined;
}

export const EGRESS_SERVICES = ovn("egressservices");
/** status.host of a service whose traffic leaves through every pod's own node. */
export const ALL_HOSTS = "ALL";
/** status.host of a service that has no node. */
export const NO_HOST = "";

const HOSTNAME_LABEL = "kubernetes.io/hostname";

/** status.host; undefined while there is no status. */
export function hostOf(egressService: KubeObject): string | undefined {
  const host = objectAt(egressService, "status")?.["host"];
  return typeof host === "string" ? host : undefined;
}

export type Requirement =
  /** No node is needed: Service, ingress address or endpoints are missing. */
  | { readonly type: "nothing" }
  /** Every pod leaves through its own node. */
  | { readonly type: "every-node" }
  | { readonly type: "node"; readonly selector: LabelSelector }
  /** The selector cannot be understood. */
  | { readonly type: "unclear"; readonly complaint: string };

/** The order of the questions decides. */
export function requirementOf(
  egressService: KubeObject,
  service: KubeObject | undefined,
  backendNodes: readonly string[],
): Requirement {
  const spec = objectAt(egressService, "spec");
  if (service === undefined) return { type: "nothing" };
  if (textAt(spec, "sourceIPBy") === "Network") return { type: "every-node" };
  const ingress = objectsAt(objectAt(objectAt(service, "status"), "loadBalancer"), "ingress");
  if (ingress.length === 0) return { type: "nothing" };
  // Traffic from outside may then only enter through nodes that have an endpoint.
  const isLocal = textAt(objectAt(service, "spec"), "externalTrafficPolicy") === "Local";
  try {
    const selector = selectorFor(objectAt(spec, "nodeSelector"), isLocal ? backendNodes : []);
    return backendNodes.length === 0 ? { type: "nothing" } : { type: "node", selector };
  } catch (error) {
    if (!(error instanceof InvalidSelectorError)) throw error;
    return { type: "unclear", complaint: error.message };
  }
}

/** The nodeSelector, and with it the names given: they are compared with the label, not with the names of nodes. */
function selectorFor(
  nodeSelector: Readonly<Record<string, unknown>> = {},
  hostnames: readonly string[],
): LabelSelector {
  if (hostnames.length === 0) return labelSelectorFromObject(nodeSelector);
  const written = nodeSelector["matchExpressions"];
  const named = { key: HOSTNAME_LABEL, operator: "In", values: hostnames };
  const matchExpressions = [...(Array.isArray(written) ? written : []), named];
  return labelSelectorFromObject({ ...nodeSelector, matchExpressions });
}

/** Writes status.host. What is there is read first, since an update of the status replaces all of it. */
export const writeHost = (client: Client, object: KubeObject, host: string): Promise<void> =>
  changeObject(client, identityOf(EGRESS_SERVICES, object), (live) => {
    if (hostOf(live) === host) return undefined;
    const status = { ...objectAt(live, "status"), host };
    return client.update(EGRESS_SERVICES, { ...live, status }, "status");
  });
