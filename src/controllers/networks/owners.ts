// Who stands behind a NetworkAttachmentDefinition, and how the networks of user-defined networks are called.
import type { KubeObject, OwnerReference } from "../../meta/object-meta.ts";

export const UDN_KIND = "UserDefinedNetwork";
export const CUDN_KIND = "ClusterUserDefinedNetwork";
export const UDN_API_VERSION = "k8s.ovn.org/v1";

/** The owner that controls the object. */
export function controllerOf({ metadata }: KubeObject): OwnerReference | undefined {
  return metadata.ownerReferences?.find(({ controller }) => controller === true);
}

export function isControlledBy(object: KubeObject, owner: KubeObject): boolean {
  const reference = controllerOf(object);
  return reference !== undefined && reference.uid === owner.metadata.uid;
}

export const isCluster = ({ kind }: KubeObject): boolean => kind === CUDN_KIND;

/** The name of the network of a UserDefinedNetwork or ClusterUserDefinedNetwork. */
export function networkNameOf(owner: KubeObject): string {
  const { namespace = "", name = "" } = owner.metadata;
  return isCluster(owner) ? clusterNetworkName(name) : `${namespace}_${name}`;
}

export const clusterNetworkName = (name: string): string => `cluster_udn_${name}`;

/** The network's owner by the NetworkAttachmentDefinition's owner reference; undefined if it is none of ours. */
export function networkOwnerOf(
  nad: KubeObject,
): { readonly kind: string; readonly key: string; readonly network: string } | undefined {
  const reference = controllerOf(nad);
  if (reference?.apiVersion !== UDN_API_VERSION) return undefined;
  const { kind, name } = reference;
  const { namespace = "" } = nad.metadata;
  if (kind === CUDN_KIND) return { kind, key: name, network: clusterNetworkName(name) };
  if (kind === UDN_KIND) return { kind, key: `${namespace}/${name}`, network: `${namespace}_${name}` };
  return undefined;
}
