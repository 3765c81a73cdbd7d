// The kinds that verdicts read, for every source of objects.
import { groupedBy } from "../apimachinery/meta/lists.ts";
import { type KubeObject, partsOfApiVersion } from "../apimachinery/meta/object-meta.ts";
import { describeResource } from "../apimachinery/meta/status.ts";

export interface NeededKind {
  /** "" for the core group. */
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly kind: string;
  readonly namespaced: boolean;
  /** Only this object is read. */
  readonly only?: { readonly namespace: string; readonly name: string };
}

type Kinds = Readonly<Record<string, string>>;

const inScope = (apiVersion: string, kinds: Kinds, namespaced: boolean): NeededKind[] => {
  const [group, version] = partsOfApiVersion(apiVersion);
  return Object.entries(kinds).map(([kind, resource]) => ({ group, version, resource, kind, namespaced }));
};

const ofCluster = (apiVersion: string, kinds: Kinds) => inScope(apiVersion, kinds, false);
const ofNamespaces = (apiVersion: string, kinds: Kinds) => inScope(apiVersion, kinds, true);

/** The kinds that verdicts read; the user needs permission to list them in all namespaces. */
export const NEEDED_KINDS: readonly NeededKind[] = [
  ...ofCluster("v1", { Node: "nodes", Namespace: "namespaces" }),
  ...ofNamespaces("v1", { Pod: "pods", Service: "services" }),
  ...ofNamespaces("discovery.k8s.io/v1", { EndpointSlice: "endpointslices" }),
  ...ofNamespaces("networking.k8s.io/v1", { NetworkPolicy: "networkpolicies" }),
  ...ofCluster("policy.networking.k8s.io/v1alpha1", {
    AdminNetworkPolicy: "adminnetworkpolicies",
    BaselineAdminNetworkPolicy: "baselineadminnetworkpolicies",
  }),
  ...ofCluster("k8s.ovn.org/v1", {
    EgressIP: "egressips",
    AdminPolicyBasedExternalRoute: "adminpolicybasedexternalroutes",
    ClusterUserDefinedNetwork: "clusteruserdefinednetworks",
    RouteAdvertisements: "routeadvertisements",
    ClusterNetworkConnect: "clusternetworkconnects",
  }),
  ...ofNamespaces("k8s.ovn.org/v1", {
    EgressFirewall: "egressfirewalls",
    EgressQoS: "egressqoses",
    EgressService: "egressservices",
    UserDefinedNetwork: "userdefinednetworks",
  }),
  ...ofNamespaces("k8s.ovn.org/v1alpha1", { NetworkQoS: "networkqoses" }),
  ...ofNamespaces("k8s.cni.cncf.io/v1", { NetworkAttachmentDefinition: "network-attachment-definitions" }),
  ...ofCluster("cloud.network.openshift.io/v1", { CloudPrivateIPConfig: "cloudprivateipconfigs" }),
  ...ofNamespaces("network.operator.openshift.io/v1", { EgressRouter: "egressrouters" }),
  ...ofNamespaces("network.openshift.io/v1alpha1", { DNSNameResolver: "dnsnameresolvers" }),
];

/** Kinds that every verdict needs. */
const INDISPENSABLE = new Set(["nodes", "namespaces", "pods", "egressips.k8s.ovn.org"]);

/** Reports whether every verdict needs the kind. */
export const isIndispensable = (kind: NeededKind): boolean => INDISPENSABLE.has(describeResource(kind));

const configMap = (namespace: string, name: string): NeededKind => ({
  ...{ group: "", version: "v1", resource: "configmaps", kind: "ConfigMap" },
  namespaced: true,
  only: { namespace, name },
});

/** Objects with the cluster's configuration; they differ between distributions. Optional: verdicts have defaults. */
export const FACT_KINDS: readonly NeededKind[] = [
  ...ofCluster("config.openshift.io/v1", { Infrastructure: "infrastructures", Network: "networks" }),
  ...ofCluster("operator.openshift.io/v1", { Network: "networks" }),
  ...ofCluster("networking.k8s.io/v1", { ServiceCIDR: "servicecidrs" }),
  configMap("openshift-ovn-kubernetes", "ovnkube-config"),
  configMap("ovn-kubernetes", "ovn-config"),
  configMap("kube-system", "kubeadm-config"),
];

/** More configuration sources, read from dumps only, so that users need no permission to list them. */
const FILE_FACT_KINDS: readonly NeededKind[] = [
  ...ofCluster("config.openshift.io/v1", {
    ClusterVersion: "clusterversions",
    ClusterOperator: "clusteroperators",
  }),
  ...["openshift-ovn-kubernetes", "ovn-kubernetes"].flatMap((namespace) =>
    ["ovnkube-node", "ovnkube-master"].flatMap((name) =>
      ofNamespaces("apps/v1", { DaemonSet: "daemonsets" }).map((kind) => ({
        ...kind,
        only: { namespace, name },
      })),
    ),
  ),
  configMap("kube-system", "cluster-config-v1"),
];

/** By group and kind; several entries if only certain objects are read. A map, since every object is looked up. */
const KINDS = groupedBy(
  [...NEEDED_KINDS, ...FACT_KINDS, ...FILE_FACT_KINDS],
  ({ group, kind }) => `${group}/${kind}`,
);

/** The entry for an object in any API version; undefined if verdicts do not read the object. */
export function neededKindOf({ apiVersion, kind = "", metadata }: KubeObject): NeededKind | undefined {
  const [group] = partsOfApiVersion(apiVersion);
  return KINDS.get(`${group}/${kind}`)?.find(
    ({ only }) =>
      only === undefined || (only.name === metadata.name && only.namespace === metadata.namespace),
  );
}

export function neededResourceOf(object: KubeObject): string | undefined {
  const kind = neededKindOf(object);
  return kind && describeResource(kind);
}
