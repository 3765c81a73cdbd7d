// EgressServices in the controller: the nodes of a Service's endpoints, and the update of status.host.

import { objectAt } from "../../../apimachinery/json/json.ts";
import type { Cidr } from "../../../apimachinery/meta/ip.ts";
import type { KubeObject } from "../../../apimachinery/meta/object-meta.ts";
import { changeObject, identityOf, ovn } from "../../../controller/api.ts";
import type { Client } from "../../../controller/client.ts";
import type { Informer } from "../../../controller/informer.ts";
import { indexBy } from "../../../controller/nested-map.ts";
import { backendNodesFinder, hostOf, serviceOf } from "../../assignment/egress-service.ts";

export const EGRESS_SERVICES = ovn("egressservices");

/** Returns a function from the key of a Service to the nodes with its endpoints. */
export function endpointNodes(
  slices: Informer,
  clusterNetworks: readonly Cidr[],
): (service: string) => string[] {
  const byService = indexBy(slices, serviceOf);
  const backendNodes = backendNodesFinder(clusterNetworks);
  return (service) => backendNodes(byService.of(service).values());
}

/** Writes status.host. Reads the object first, since an update replaces the whole status. */
export const writeHost = (client: Client, object: KubeObject, host: string): Promise<void> =>
  changeObject(client, identityOf(EGRESS_SERVICES, object), (live) => {
    if (hostOf(live) === host) return undefined;
    const status = { ...objectAt(live, "status"), host };
    return client.update(EGRESS_SERVICES, { ...live, status }, "status");
  });
