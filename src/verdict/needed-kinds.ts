// The kinds that verdicts read, wherever the objects come from.
import type { KubeObject } from "../meta/object-meta.ts";

/** A kind that verdicts read. */
export interface NeededKind {
  /** "" for the core group. */
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly kind: string;
  /** One object alone is read. */
  readonly only?: { readonly namespace: string; readonly name: string };
}

const needed = (apiVersion: string, kinds: Readonly<Record<string, string>>): NeededKind[] => {
  const slash = apiVersion.indexOf("/");
  const [group, version] =
    slash < 0 ? ["", apiVersion] : [apiVersion.slice(0, slash), apiVersion.slice(slash + 1)];
  return Object.entries(kinds).map(([kind, resource]) => ({ group, version, resource, kind }));
};

/** All that verdicts read: who asks has to be allowed to list them, in all namespaces. */
export const NEEDED_KINDS: readonly NeededKind[] = [
  ...needed("v1", { Node: "nodes", Namespace: "namespaces", Pod: "pods", Service: "services" }),
  ...needed("discovery.k8s.io/v1", { EndpointSlice: "endpointslices" }),
  ...needed("networking.k8s.io/v1", { NetworkPolicy: "networkpolicies" }),
  ...needed("policy.networking.k8s.io/v1alpha1", {
    AdminNetworkPolicy: "adminnetworkpolicies",
    BaselineAdminNetworkPolicy: "baselineadminnetworkpolicies",
  }),
  ...needed("k8s.ovn.org/v1", {
    EgressIP: "egressips",
    EgressFirewall: "egressfirewalls",
    EgressQoS: "egressqoses",
    EgressService: "egressservices",
    AdminPolicyBasedExternalRoute: "adminpolicybasedexternalroutes",
    UserDefinedNetwork: "userdefinednetworks",
    ClusterUserDefinedNetwork: "clusteruserdefinednetworks",
    RouteAdvertisements: "routeadvertisements",
    ClusterNetworkConnect: "clusternetworkconnects",
  }),
  ...needed("k8s.ovn.org/v1alpha1", { NetworkQoS: "networkqoses" }),
  ...needed("k8s.cni.cncf.io/v1", { NetworkAttachmentDefinition: "network-attachment-definitions" }),
  ...needed("cloud.network.openshift.io/v1", { CloudPrivateIPConfig: "cloudprivateipconfigs" }),
  ...needed("network.operator.openshift.io/v1", { EgressRouter: "egressrouters" }),
  ...needed("network.openshift.io/v1alpha1", { DNSNameResolver: "dnsnameresolvers" }),
];

/** Without these nothing can be said of a cluster. */
const INDISPENSABLE = new Set(["nodes", "namespaces", "pods", "egressips.k8s.ovn.org"]);

/** Whether nothing can be said without the kind, whatever is asked. */
export const isIndispensable = (kind: NeededKind): boolean => INDISPENSABLE.has(fullName(kind));

const configMap = (namespace: string, name: string): NeededKind => ({
  ...{ group: "", version: "v1", resource: "configmaps", kind: "ConfigMap" },
  only: { namespace, name },
});

/** Where clusters say how they were set up, each kind of cluster in its own way. Verdicts do without. */
export const FACT_KINDS: readonly NeededKind[] = [
  ...needed("config.openshift.io/v1", { Infrastructure: "infrastructures", Network: "networks" }),
  ...needed("operator.openshift.io/v1", { Network: "networks" }),
  ...needed("networking.k8s.io/v1", { ServiceCIDR: "servicecidrs" }),
  configMap("openshift-ovn-kubernetes", "ovnkube-config"),
  configMap("ovn-kubernetes", "ovn-config"),
  configMap("kube-system", "kubeadm-config"),
];

/** "egressips.k8s.ovn.org". */
export const fullName = ({ group, resource }: Pick<NeededKind, "group" | "resource">): string =>
  group === "" ? resource : `${resource}.${group}`;

/** The resource of an object as somebody has written it, whatever the version; undefined: verdicts do not read it. */
export function neededResourceOf({ apiVersion = "", kind = "", metadata }: KubeObject): string | undefined {
  const slash = apiVersion.indexOf("/");
  const group = slash < 0 ? "" : apiVersion.slice(0, slash);
  const found = [...NEEDED_KINDS, ...FACT_KINDS].find(
    (one) =>
      one.kind === kind &&
      one.group === group &&
      (one.only === undefined ||
        (one.only.name === metadata.name && one.only.namespace === metadata.namespace)),
  );
  return found && fullName(found);
}
