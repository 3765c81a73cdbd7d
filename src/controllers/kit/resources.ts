// The resources that controllers follow.
import type { ResourceName } from "../../client/client.ts";

export const core = (resource: string): ResourceName => ({ group: "", version: "v1", resource });
export const ovn = (resource: string, version = "v1"): ResourceName => ({
  group: "k8s.ovn.org",
  version,
  resource,
});

export const NAMESPACES = core("namespaces");
export const NODES = core("nodes");
export const PODS = core("pods");
export const SERVICES = core("services");
export const ENDPOINT_SLICES: ResourceName = {
  group: "discovery.k8s.io",
  version: "v1",
  resource: "endpointslices",
};
export const NADS: ResourceName = {
  group: "k8s.cni.cncf.io",
  version: "v1",
  resource: "network-attachment-definitions",
};
export const USER_DEFINED_NETWORKS = ovn("userdefinednetworks");
export const CLUSTER_USER_DEFINED_NETWORKS = ovn("clusteruserdefinednetworks");
