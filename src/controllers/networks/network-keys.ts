// The keys that ovn-kubernetes writes on the objects of user-defined networks.
export const OVN_PREFIX = "k8s.ovn.org";
export const NETWORK_NAME_ANNOTATION = "k8s.ovn.org/network-name";
export const NETWORK_ID_ANNOTATION = "k8s.ovn.org/network-id";

/** Names an object in messages: "namespace/name". */
export const nadKey = (namespace: string, name: string): string => `${namespace}/${name}`;
