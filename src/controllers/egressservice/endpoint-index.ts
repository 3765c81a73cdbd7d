// The nodes behind each Service, from its EndpointSlices. Endpoints count whether they are ready or not.
import { type Cidr, cidrContains, parseIp } from "../../meta/ip.ts";
import { objectsAt, textsAt } from "../../meta/json.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import { NestedMap } from "../kit/nested-map.ts";

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
