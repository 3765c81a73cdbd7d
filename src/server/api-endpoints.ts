// Publishes the server's address as Endpoints and EndpointSlice of the Service `kubernetes`, as a kube-apiserver
// does (--advertise-address). Clients in the cluster find the API by it. Both objects are updated at a start.

import { equalJson } from "../apimachinery/json/json.ts";
import { isIpv6Text } from "../apimachinery/meta/ip.ts";
import type { KubeObject } from "../apimachinery/meta/object-meta.ts";
import { type Client, createMissing, type ResourceName } from "../controller/client.ts";
import type { ApiAddress } from "./options/options.ts";

const NAME = { namespace: "default", name: "kubernetes" };
const ENDPOINTS: ResourceName = { group: "", version: "v1", resource: "endpoints" };
const SLICES: ResourceName = { group: "discovery.k8s.io", version: "v1", resource: "endpointslices" };

/** `client` writes with the field manager of a kube-apiserver. */
export async function publishAddress(client: Client, { ip, port }: ApiAddress): Promise<void> {
  const ports = [{ name: "https", port, protocol: "TCP" }];
  await ensure(client, ENDPOINTS, {
    apiVersion: "v1",
    kind: "Endpoints",
    metadata: { ...NAME, labels: { "endpointslice.kubernetes.io/skip-mirror": "true" } },
    subsets: [{ addresses: [{ ip }], ports }],
  });
  await ensure(client, SLICES, {
    apiVersion: "discovery.k8s.io/v1",
    kind: "EndpointSlice",
    metadata: { ...NAME, labels: { "kubernetes.io/service-name": NAME.name } },
    addressType: isIpv6Text(ip) ? "IPv6" : "IPv4",
    endpoints: [{ addresses: [ip], conditions: { ready: true } }],
    ports,
  });
}

/** Creates the object, or updates all members of a stored one except its metadata. */
async function ensure(client: Client, resource: ResourceName, object: KubeObject): Promise<void> {
  if (await createMissing(client, resource, object)) return;
  const stored = await client.get(resource, NAME);
  const wanted = { ...stored, ...object, metadata: stored.metadata };
  if (!equalJson(stored, wanted)) await client.update(resource, wanted);
}
