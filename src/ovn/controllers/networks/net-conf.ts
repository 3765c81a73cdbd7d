// The network of a NetworkAttachmentDefinition (NAD): its configuration (JSON for the CNI plugin), and the user-defined
// network that owns it.

import {
  type JsonObject,
  objectAt,
  objectsAt,
  parsedObject,
  textAt,
} from "../../../apimachinery/json/json.ts";
import { memoize } from "../../../apimachinery/meta/memoize.ts";
import { type KubeObject, specOf } from "../../../apimachinery/meta/object-meta.ts";
import {
  CLUSTER_USER_DEFINED_NETWORKS,
  controllerOf,
  USER_DEFINED_NETWORKS,
} from "../../../controller/api.ts";
import type { ResourceName } from "../../../controller/client.ts";
import { selectorOf } from "../../../controller/conditions.ts";
import type { Informer } from "../../../controller/informer.ts";

export const OVN_PREFIX = "k8s.ovn.org";
export const NETWORK_NAME_ANNOTATION = "k8s.ovn.org/network-name";
export const NETWORK_ID_ANNOTATION = "k8s.ovn.org/network-id";
/** Label of namespaces with a primary user-defined network. */
export const PRIMARY_LABEL = "k8s.ovn.org/primary-user-defined-network";
/** Field manager for nodes and finalizers; conditions have another one. */
export const OBJECT_MANAGER = "ovnkube-cluster-manager";
export const OVN_CNI_TYPE = "ovn-k8s-cni-overlay";
export const DEFAULT_NETWORK = "default";

/** Keys of the configuration. Lists are comma-separated; "" is an absent key. */
const MEMBERS = [
  "name", // of the network; several NADs may have the same
  "topology", // "layer2", "layer3" or "localnet"
  "role", // "primary", "secondary" or ""
  "subnets",
  "joinSubnet",
  "transitSubnet",
  "excludeSubnets",
  "transport",
] as const;

export type NetConf = Readonly<Record<(typeof MEMBERS)[number], string>>;

/** The configuration; undefined if its CNI type is not that of ovn-kubernetes. */
export function readNetConf(nad: KubeObject): NetConf | undefined {
  const conf = parseConfig(nad);
  return conf?.["type"] === OVN_CNI_TYPE ? confOf(conf) : undefined;
}

export const confOf = (config: JsonObject): NetConf =>
  Object.fromEntries(MEMBERS.map((key) => [key, textAt(config, key)])) as NetConf; // all of its members

export const isPrimary = ({ role }: NetConf): boolean => role === "primary";

/** spec.config of a NAD; "" if absent. */
export const configText = (nad: KubeObject): string => textAt(specOf(nad), "config");

/** The parsed JSON of any CNI configuration; undefined if it is no JSON object. */
export const parseConfig = memoize((nad: KubeObject): JsonObject | undefined =>
  parsedObject(configText(nad)),
);

const UDN_KIND = "UserDefinedNetwork";
export const CUDN_KIND = "ClusterUserDefinedNetwork";
export const UDN_API_VERSION = "k8s.ovn.org/v1";
export const CLUSTER_NETWORK_PREFIX = "cluster_udn_";

export const isCluster = ({ kind }: KubeObject): boolean => kind === CUDN_KIND;

export const resourceOf = (owner: KubeObject): ResourceName =>
  isCluster(owner) ? CLUSTER_USER_DEFINED_NETWORKS : USER_DEFINED_NETWORKS;

/** The name of the network of a UserDefinedNetwork or ClusterUserDefinedNetwork. */
export function networkNameOf(owner: KubeObject): string {
  const { namespace = "", name = "" } = owner.metadata;
  return isCluster(owner) ? `${CLUSTER_NETWORK_PREFIX}${name}` : `${namespace}_${name}`;
}

export function isControlledBy(object: KubeObject, owner: KubeObject): boolean {
  const reference = controllerOf(object);
  return reference !== undefined && reference.uid === owner.metadata.uid;
}

/** The owner from the NAD's controller reference; undefined unless it is a user-defined network. */
export function networkOwnerOf(nad: KubeObject) {
  const { apiVersion, kind = "", name = "" } = controllerOf(nad) ?? {};
  if (apiVersion !== UDN_API_VERSION) return undefined;
  const { namespace = "" } = nad.metadata;
  // `key` is the owner's key in its informer.
  if (kind === CUDN_KIND) return { kind, key: name, network: `${CLUSTER_NETWORK_PREFIX}${name}` };
  if (kind === UDN_KIND) return { kind, key: `${namespace}/${name}`, network: `${namespace}_${name}` };
  return undefined;
}

/** The network's owner from the informers, if it exists. */
export function findNetworkOwner(
  nad: KubeObject,
  { udns, cudns }: { readonly udns: Informer; readonly cudns: Informer },
): KubeObject | undefined {
  const owner = networkOwnerOf(nad);
  return owner && (owner.kind === CUDN_KIND ? cudns : udns).get(owner.key);
}

// Primary networks that network selectors of other kinds match: ClusterUserDefinedNetworks by label, or the primary networks
// of namespaces by label.

export interface SelectedNetwork {
  readonly conf: NetConf;
  /** Its NADs, sorted by namespace. */
  readonly nads: readonly KubeObject[];
}

export interface NetworkSources {
  readonly nads: Informer;
  readonly namespaces: Informer;
}

export const networkSelectorsOf = (object: KubeObject): JsonObject[] =>
  objectsAt(specOf(object), "networkSelectors");

/** The label selector for ClusterUserDefinedNetworks in a network selector. */
export const clusterNetworkSelector = (selector: JsonObject): unknown =>
  objectAt(selector, "clusterUserDefinedNetworkSelector")?.["networkSelector"];

/** A selector that matches nothing. */
const NOTHING = null;

/** The NADs of ClusterUserDefinedNetworks that the selector matches. Throws a Complaint if it is invalid. */
export function nadsOfSelectedClusterNetworks(selector: JsonObject, { nads }: NetworkSources): KubeObject[] {
  const labels = selectorOf(clusterNetworkSelector(selector), NOTHING);
  return [...nads.list()].filter(
    (nad) => networkOwnerOf(nad)?.kind === CUDN_KIND && labels.matches(nad.metadata.labels),
  );
}

/** The NADs in namespaces that the selector matches. Throws a Complaint if it is invalid. */
export function nadsOfSelectedNamespaces(selector: JsonObject, sources: NetworkSources): KubeObject[] {
  const chosen = objectAt(selector, "primaryUserDefinedNetworkSelector")?.["namespaceSelector"];
  const labels = selectorOf(chosen, NOTHING);
  const namespaces = [...sources.namespaces.list()].filter(({ metadata }) => labels.matches(metadata.labels));
  const names = new Set(namespaces.map(({ metadata }) => metadata.name ?? ""));
  return [...sources.nads.list()].filter(({ metadata }) => names.has(metadata.namespace ?? ""));
}

/** The primary networks of NADs, sorted by name. */
export function primaryNetworks(nads: readonly KubeObject[]): SelectedNetwork[] {
  const found = new Map<string, { conf: NetConf; nads: KubeObject[] }>();
  for (const nad of [...new Set(nads)].sort(byNamespace)) {
    const conf = readNetConf(nad);
    if (!conf || !isPrimary(conf)) continue;
    const known = found.get(conf.name);
    if (known) known.nads.push(nad);
    else found.set(conf.name, { conf, nads: [nad] });
  }
  return [...found.values()].sort((a, b) => (a.conf.name < b.conf.name ? -1 : 1));
}

function byNamespace(a: KubeObject, b: KubeObject): number {
  return (a.metadata.namespace ?? "") < (b.metadata.namespace ?? "") ? -1 : 1;
}
