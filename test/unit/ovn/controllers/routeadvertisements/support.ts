// A cluster with the controllers around RouteAdvertisements, and the kind that they write: FRRConfiguration, which is not
// shipped.

import { isObject, objectAt } from "../../../../../src/apimachinery/json/json.ts";
import type { KubeObject } from "../../../../../src/apimachinery/meta/object-meta.ts";
import { definitionFromCrd } from "../../../../../src/apiserver/registry/custom-resource.ts";
import { FRR_CONFIGURATIONS } from "../../../../../src/ovn/controllers/routeadvertisements/frr.ts";
import { controllerDescriptors } from "../../../../../src/server/controller-list.ts";
import { core, namespaceObject, ovn, World } from "../networks/support.ts";
import { CUDNS, cudn, PRIMARY } from "../userdefinednetwork/support.ts";

export { FRR_CONFIGURATIONS };
export const ADVERTISEMENTS = ovn("routeadvertisements");
export const NODES = core("nodes");
const CRDS = { group: "apiextensions.k8s.io", version: "v1", resource: "customresourcedefinitions" };
const CONTROLLERS = ["userdefinednetwork", "networks", "routeadvertisements"];

const frrCrd: KubeObject = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "frrconfigurations.frrk8s.metallb.io" },
  spec: {
    group: "frrk8s.metallb.io",
    scope: "Namespaced",
    names: {
      kind: "FRRConfiguration",
      listKind: "FRRConfigurationList",
      plural: "frrconfigurations",
      singular: "frrconfiguration",
    },
    versions: [
      {
        name: "v1beta1",
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
      },
    ],
  },
};

export async function startAdvertising(): Promise<World> {
  const world = await World.start(...controllerDescriptors.filter(({ name }) => CONTROLLERS.includes(name)));
  for (const name of ["frr", "ovn-kubernetes"]) await world.add(core("namespaces"), namespaceObject(name));
  return world;
}

/** From here on FRRConfigurations are served. */
export async function serveFrr(world: World): Promise<void> {
  world.registry.set(definitionFromCrd(frrCrd));
  await world.add(CRDS, frrCrd);
  const established = { type: "Established", status: "True", reason: "R", message: "" };
  const status = { conditions: [established], acceptedNames: {}, storedVersions: ["v1beta1"] };
  await world.edit(CRDS, frrCrd.metadata.name ?? "", { status }, "", "status");
}

export const NEIGHBOR = { asn: 64512, address: "192.0.2.1" };

export const frr = (name: string, router: object = {}, spec: object = {}): KubeObject => ({
  apiVersion: "frrk8s.metallb.io/v1beta1",
  kind: "FRRConfiguration",
  metadata: { namespace: "frr", name, labels: { use: "yes" } },
  spec: { bgp: { routers: [{ asn: 64512, neighbors: [NEIGHBOR], ...router }] }, ...spec },
});

export const advertisement = (name: string, spec: object = {}): KubeObject => ({
  apiVersion: "k8s.ovn.org/v1",
  kind: "RouteAdvertisements",
  metadata: { name },
  spec: {
    advertisements: ["PodNetwork"],
    nodeSelector: {},
    frrConfigurationSelector: { matchLabels: { use: "yes" } },
    networkSelectors: [
      {
        networkSelectionType: "ClusterUserDefinedNetworks",
        clusterUserDefinedNetworkSelector: { networkSelector: { matchLabels: { net: "yes" } } },
      },
    ],
    ...spec,
  },
});

/** A network with the label net=yes in a namespace of its own. */
export async function network(world: World, name: string, spec: object): Promise<void> {
  await world.add(core("namespaces"), namespaceObject(`in-${name}`, { [PRIMARY]: "", of: name }));
  const object = cudn(name, spec, { namespaceSelector: { matchLabels: { of: name } } });
  await world.add(CUDNS, { ...object, metadata: { name, labels: { net: "yes" } } });
}

/** Of what was generated, "RouteAdvertisements/source/node VRF: prefixes". */
export async function generated(world: World): Promise<string[]> {
  const { items } = await world.client.list(FRR_CONFIGURATIONS);
  const made = items.filter(({ metadata }) => metadata.name?.startsWith("ovnk-generated-"));
  const lines = made.flatMap(({ metadata, spec }) => {
    const routers = objectAt(isObject(spec) ? spec : {}, "bgp")?.["routers"];
    const list = Array.isArray(routers) ? routers.filter(isObject) : [];
    const of = metadata.annotations?.["k8s.ovn.org/route-advertisements"];
    return list.map(({ vrf = "default", prefixes = [], imports = [] }) => {
      const from = Array.isArray(imports) ? imports.map((item) => (isObject(item) ? item["vrf"] : "")) : [];
      return `${of} ${vrf}: ${String(prefixes)}${from.length > 0 ? ` from ${from.join()}` : ""}`;
    });
  });
  return lines.sort();
}
