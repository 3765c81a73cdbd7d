// The nodes behind each Service, from its EndpointSlices. Endpoints count whether they are ready or not.
import { type Cidr, cidrContains, parseIp } from "../../meta/ip.ts";
import { isObject } from "../../meta/json.ts";
import type { KubeObject } from "../../meta/object-meta.ts";

const SERVICE_NAME = "kubernetes.io/service-name";

interface SliceNodes {
  readonly nodes: readonly string[];
  /** At least one endpoint with a node has an address of the cluster network; the others are pods on the host's. */
  readonly inCluster: boolean;
}

export class EndpointIndex {
  readonly #clusterNetworks: readonly Cidr[];
  /** Service → EndpointSlice → what it holds. */
  readonly #slices = new Map<string, Map<string, SliceNodes>>();

  constructor(clusterNetworks: readonly Cidr[]) {
    this.#clusterNetworks = clusterNetworks;
  }

  /** Takes in a slice; answers with the Service it is of, if it says one. */
  set(slice: KubeObject): string | undefined {
    const service = serviceOf(slice);
    if (service === undefined) return undefined;
    const slices = this.#slices.get(service);
    const nodes = readNodes(slice, this.#clusterNetworks);
    if (slices) slices.set(slice.metadata.name ?? "", nodes);
    else this.#slices.set(service, new Map([[slice.metadata.name ?? "", nodes]]));
    return service;
  }

  /** Forgets a slice; answers with the Service it was of. */
  delete(slice: KubeObject): string | undefined {
    const service = serviceOf(slice);
    const slices = service === undefined ? undefined : this.#slices.get(service);
    if (service === undefined || !slices) return undefined;
    slices.delete(slice.metadata.name ?? "");
    if (slices.size === 0) this.#slices.delete(service);
    return service;
  }

  /** The nodes with endpoints of the Service, sorted; none if all its endpoints are on the hosts' networks. */
  nodesOf(service: string): string[] {
    const slices = [...(this.#slices.get(service)?.values() ?? [])];
    if (!slices.some(({ inCluster }) => inCluster)) return [];
    return [...new Set(slices.flatMap(({ nodes }) => nodes))].sort();
  }
}

function serviceOf({ metadata }: KubeObject): string | undefined {
  const name = metadata.labels?.[SERVICE_NAME];
  return name ? `${metadata.namespace ?? ""}/${name}` : undefined;
}

function readNodes(slice: KubeObject, clusterNetworks: readonly Cidr[]): SliceNodes {
  const endpoints = slice["addressType"] === "FQDN" ? [] : slice["endpoints"];
  const nodes: string[] = [];
  let inCluster = false;
  for (const endpoint of Array.isArray(endpoints) ? endpoints : []) {
    if (!isObject(endpoint) || typeof endpoint["nodeName"] !== "string") continue;
    nodes.push(endpoint["nodeName"]);
    const addresses = endpoint["addresses"];
    inCluster ||= Array.isArray(addresses) && addresses.some((text) => isInside(clusterNetworks, text));
  }
  return { nodes, inCluster };
}

function isInside(networks: readonly Cidr[], text: unknown): boolean {
  // Endpoints may carry IPv4 addresses from a time when leading zeros were let in.
  const ip = typeof text === "string" ? parseIp(text.replace(/(^|\.)0+(?=\d+(\.|$))/g, "$1")) : undefined;
  return ip !== undefined && networks.some((network) => cidrContains(network, ip));
}
