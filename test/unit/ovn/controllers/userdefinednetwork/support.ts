// A cluster with the controllers of user-defined networks, and the objects that they reconcile.

import type { KubeObject } from "../../../../../src/apimachinery/meta/object-meta.ts";
import type { NetworkFeature } from "../../../../../src/controller/settings.ts";
import { networks } from "../../../../../src/ovn/controllers/networks/controller.ts";
import { userDefinedNetwork } from "../../../../../src/ovn/controllers/userdefinednetwork/controller.ts";
import { withSettings } from "../../../kube/controllers/support.ts";
import { ovn, podObject, World } from "../networks/support.ts";

export const UDNS = ovn("userdefinednetworks");
export const CUDNS = ovn("clusteruserdefinednetworks");
export const PRIMARY = "k8s.ovn.org/primary-user-defined-network";
export const FINALIZER = "k8s.ovn.org/user-defined-network-protection";
export const CREATED =
  "True NetworkAttachmentDefinitionCreated: NetworkAttachmentDefinition has been created";

export const startNetworks = (...features: readonly NetworkFeature[]): Promise<World> =>
  World.start(withSettings(userDefinedNetwork, { networkFeatures: features }), networks);

export const layer2 = (role: "Primary" | "Secondary", subnets: readonly string[], more: object = {}) => ({
  topology: "Layer2",
  layer2: { role, subnets: [...subnets], ...more },
});

export const layer3 = (
  role: "Primary" | "Secondary",
  subnets: readonly { cidr: string; hostSubnet?: number }[],
  more: object = {},
) => ({ topology: "Layer3", layer3: { role, subnets: [...subnets], ...more } });

export const SECONDARY = layer2("Secondary", ["10.200.0.0/16"]);

export function udn(
  namespace: string,
  name: string,
  spec: object,
  metadata: KubeObject["metadata"] = {},
): KubeObject {
  return {
    apiVersion: "k8s.ovn.org/v1",
    kind: "UserDefinedNetwork",
    metadata: { ...metadata, namespace, name },
    spec,
  };
}

export function cudn(name: string, network: object, more: object = {}): KubeObject {
  return {
    apiVersion: "k8s.ovn.org/v1",
    kind: "ClusterUserDefinedNetwork",
    metadata: { name },
    spec: { namespaceSelector: { matchLabels: { team: "a" } }, network, ...more },
  };
}

export function podOn(namespace: string, name: string, nad: string): KubeObject {
  const networks = { [`${namespace}/${nad}`]: { ip_address: "10.200.0.5/16" } };
  return podObject(namespace, name, {
    annotations: { "k8s.ovn.org/pod-networks": JSON.stringify(networks) },
  });
}
