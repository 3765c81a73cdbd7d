// What a NetworkAttachmentDefinition says of a network: its configuration (JSON for the CNI plugin), and which
// user-defined network is behind it.
import type { ResourceName } from "../../client/client.ts";
import type { Informer } from "../../client/informer.ts";
import { oncePerObject } from "../../client/once-per-object.ts";
import { type JsonObject, parsedObject, textAt } from "../../meta/json.ts";
import { type KubeObject, type OwnerReference, specOf } from "../../meta/object-meta.ts";
import { CLUSTER_USER_DEFINED_NETWORKS, USER_DEFINED_NETWORKS } from "../kit/api.ts";
import { errorText } from "../kit/logging.ts";

/** What is wrong with a network as its owner wrote it. The message is what the owner gets to read in a condition. */
export class NetworkError extends Error {
  override readonly name = "NetworkError";
}

/** The same failure, told with where it happened; the cause is kept. */
export const within = (where: string, error: unknown): NetworkError =>
  new NetworkError(`${where}: ${errorText(error)}`, { cause: error });

/** What work gives, or its failure within where it happened. */
export function telling<T>(where: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw within(where, error);
  }
}

/** The same of work that takes its time. */
export const tellingLater = <T>(where: string, work: Promise<T>): Promise<T> =>
  work.catch((error) => {
    throw within(where, error);
  });

export const OVN_PREFIX = "k8s.ovn.org";
export const NETWORK_NAME_ANNOTATION = "k8s.ovn.org/network-name";
export const NETWORK_ID_ANNOTATION = "k8s.ovn.org/network-id";
/** On namespaces that have a network of their own. */
export const PRIMARY_LABEL = "k8s.ovn.org/primary-user-defined-network";
/** The name in which nodes and finalizers are written, which are not written in the status' name. */
export const OBJECT_MANAGER = "ovnkube-cluster-manager";
export const OVN_CNI_TYPE = "ovn-k8s-cni-overlay";
export const DEFAULT_NETWORK = "default";

/** Lists are in text form; "" is what is not said. */
const MEMBERS = [
  "name", // of the network; several NetworkAttachmentDefinitions may say the same
  "topology", // "layer2", "layer3" or "localnet"
  "role", // "primary", "secondary" or ""
  "subnets",
  "joinSubnet",
  "transitSubnet",
  "excludeSubnets",
  "transport",
] as const;

export type NetConf = Readonly<Record<(typeof MEMBERS)[number], string>>;

/** The configuration, or undefined where it is not one of ovn-kubernetes. */
export function readNetConf(nad: KubeObject): NetConf | undefined {
  const conf = parseConfig(nad);
  if (conf?.["type"] !== OVN_CNI_TYPE) return undefined;
  return Object.fromEntries(MEMBERS.map((key) => [key, textAt(conf, key)])) as NetConf; // all of its members
}

export const isPrimary = ({ role }: NetConf): boolean => role === "primary";

/** spec.config of a NetworkAttachmentDefinition; "" where there is none. */
export const configText = (nad: KubeObject): string => textAt(specOf(nad), "config");

/** The JSON of the configuration, whoever wrote it; undefined where it is none. */
export const parseConfig = oncePerObject((nad): JsonObject | undefined => parsedObject(configText(nad)));

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

/** The owner that controls the object. */
const controllerOf = ({ metadata }: KubeObject): OwnerReference | undefined =>
  metadata.ownerReferences?.find(({ controller }) => controller === true);

export function isControlledBy(object: KubeObject, owner: KubeObject): boolean {
  const reference = controllerOf(object);
  return reference !== undefined && reference.uid === owner.metadata.uid;
}

export interface NetworkOwner {
  readonly kind: string;
  /** In its informer. */
  readonly key: string;
  readonly network: string;
}

/** The network's owner by the NetworkAttachmentDefinition's owner reference; undefined if it is none of ours. */
export function networkOwnerOf(nad: KubeObject): NetworkOwner | undefined {
  const { apiVersion, kind = "", name = "" } = controllerOf(nad) ?? {};
  if (apiVersion !== UDN_API_VERSION) return undefined;
  const { namespace = "" } = nad.metadata;
  if (kind === CUDN_KIND) return { kind, key: name, network: `${CLUSTER_NETWORK_PREFIX}${name}` };
  if (kind === UDN_KIND) return { kind, key: `${namespace}/${name}`, network: `${namespace}_${name}` };
  return undefined;
}

/** The network's owner, if it is there. */
export function findNetworkOwner(
  nad: KubeObject,
  { udns, cudns }: { readonly udns: Informer; readonly cudns: Informer },
): KubeObject | undefined {
  const owner = networkOwnerOf(nad);
  return owner && (owner.kind === CUDN_KIND ? cudns : udns).get(owner.key);
}
