// The resources around user-defined networks, and the keys that ovn-kubernetes writes on their objects.
import type { ResourceName } from "../../client/client.ts";

export const NAMESPACES: ResourceName = { group: "", version: "v1", resource: "namespaces" };
export const NODES: ResourceName = { group: "", version: "v1", resource: "nodes" };
export const PODS: ResourceName = { group: "", version: "v1", resource: "pods" };
export const NADS: ResourceName = {
  group: "k8s.cni.cncf.io",
  version: "v1",
  resource: "network-attachment-definitions",
};
export const USER_DEFINED_NETWORKS: ResourceName = {
  group: "k8s.ovn.org",
  version: "v1",
  resource: "userdefinednetworks",
};
export const CLUSTER_USER_DEFINED_NETWORKS: ResourceName = {
  group: "k8s.ovn.org",
  version: "v1",
  resource: "clusteruserdefinednetworks",
};

export const OVN_PREFIX = "k8s.ovn.org";
export const NETWORK_NAME_ANNOTATION = "k8s.ovn.org/network-name";
export const NETWORK_ID_ANNOTATION = "k8s.ovn.org/network-id";

/** Names an object in messages: "namespace/name". */
export const nadKey = (namespace: string, name: string): string => `${namespace}/${name}`;
