// EgressServices: what their controller reads of them, what one asks for, given its Service and the nodes behind that, and
// how status.host is written.

import type { Client } from "../../client/client.ts";
import type { Informer } from "../../client/informer.ts";
import { type Cidr, cidrContains, parseIp } from "../../meta/ip.ts";
import { objectAt, objectsAt, textAt, textsAt } from "../../meta/json.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import { oncePer } from "../../meta/once-per.ts";
import { hostOf } from "../../verdict/assignment/egress-service.ts";
import { changeObject, identityOf, ovn } from "../kit/api.ts";
import { indexBy } from "../kit/nested-map.ts";

export const EGRESS_SERVICES = ovn("egressservices");
const SERVICE_NAME = "kubernetes.io/service-name";
/** The Service that an EndpointSlice is of, if it says one. */
export function serviceOf({ metadata }: KubeObject): string | undefined {
  const name = metadata.labels?.[SERVICE_NAME];
  return name ? `${metadata.namespace ?? ""}/${name}` : undefined;
}

/**
 * Finds the nodes with endpoints of a Service, sorted; none if all its endpoints are pods on the hosts' networks. Endpoints
 * count whether they are ready or not.
 */
export function endpointNodes(
  slices: Informer,
  clusterNetworks: readonly Cidr[],
): (service: string) => string[] {
  const byService = indexBy(slices, serviceOf);
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
  return (service) => {
    const found = [...byService.of(service).values()].map(read);
    if (!found.some(({ inCluster }) => inCluster)) return [];
    return [...new Set(found.flatMap(({ nodes }) => nodes))].sort();
  };
}

/** Writes status.host. What is there is read first, since an update of the status replaces all of it. */
export const writeHost = (client: Client, object: KubeObject, host: string): Promise<void> =>
  changeObject(client, identityOf(EGRESS_SERVICES, object), (live) => {
    if (hostOf(live) === host) return undefined;
    const status = { ...objectAt(live, "status"), host };
    return client.update(EGRESS_SERVICES, { ...live, status }, "status");
  });
