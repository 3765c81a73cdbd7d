// A cluster with the controller of EgressRouters.

import type { KubeObject } from "../../../../../src/apimachinery/meta/object-meta.ts";
import type { ResourceName } from "../../../../../src/controller/client.ts";
import type { Profile } from "../../../../../src/controller/emulated-release.ts";
import { egressRouter } from "../../../../../src/ovn/controllers/egressrouter.ts";
import { World } from "../../../ovn/controllers/networks/support.ts";
import { withSettings } from "../support.ts";

export const ROUTERS: ResourceName = {
  group: "network.operator.openshift.io",
  version: "v1",
  resource: "egressrouters",
};
export const DEPLOYMENTS: ResourceName = { group: "apps", version: "v1", resource: "deployments" };
export const NAD_NAME = "egress-router-cni-nad";
export const DEPLOYMENT_NAME = "egress-router-cni-deployment";

export const startRouters = (profile: Profile = "ovn-kubernetes-2026"): Promise<World> =>
  World.start(withSettings(egressRouter, { profile }));

export const ADDRESSES = [{ ip: "192.168.12.99/24", gateway: "192.168.12.1" }];
export const RULES = [{ destinationIP: "203.0.113.25", port: 80, protocol: "UDP", targetPort: 8080 }];

export function router(name: string, spec: object = {}): KubeObject {
  const redirect = { redirectRules: RULES };
  return {
    apiVersion: "network.operator.openshift.io/v1",
    kind: "EgressRouter",
    metadata: { name, namespace: "ns" },
    spec: { mode: "Redirect", addresses: ADDRESSES, redirect, ...spec },
  };
}

/** The kind is not shipped: a cluster may have it. */
export const clusterOperatorCrd: KubeObject = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "clusteroperators.config.openshift.io" },
  spec: {
    group: "config.openshift.io",
    scope: "Cluster",
    names: {
      kind: "ClusterOperator",
      listKind: "ClusterOperatorList",
      plural: "clusteroperators",
      singular: "clusteroperator",
    },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: {
          openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
        },
      },
    ],
  },
};
