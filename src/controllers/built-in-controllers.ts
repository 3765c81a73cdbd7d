// The controllers that kube-controller-manager runs in a cluster, as data for the manager: what a client expects of any
// API server that has a cluster behind it.

import { createPolicyStatus, POLICY_STATUS } from "./admission-policy-status/controller.ts";
import { AGGREGATION_MANAGER, createClusterRoleAggregation } from "./clusterrole-aggregation/controller.ts";
import { createEndpointsController } from "./endpoints/controller.ts";
import { createEndpointSliceController } from "./endpointslice/controller.ts";
import { createEndpointSliceMirroringController } from "./endpointslice-mirroring/controller.ts";
import { createGarbageCollector } from "./garbage-collector/controller.ts";
import { createNamespaceController } from "./namespace/controller.ts";
import { createPodTermination, POD_TERMINATION } from "./pod-termination/controller.ts";
import { createRootCaPublisher } from "./root-ca-publisher/controller.ts";
import type { ControllerDescriptor } from "./runtime/controller.ts";
import { createServiceAccountController } from "./serviceaccount/controller.ts";

const fieldManager = "kube-controller-manager";

export const builtInControllers: readonly ControllerDescriptor[] = [
  {
    name: "garbage-collector",
    summary: "deletes what all owners have left",
    fieldManager,
    create: createGarbageCollector,
  },
  {
    name: "namespace",
    summary: "empties deleted namespaces",
    fieldManager,
    create: createNamespaceController,
  },
  {
    name: POD_TERMINATION,
    summary: "ends deleted pods whose grace period is over on nodes without a kubelet",
    fieldManager: "kubelet",
    create: createPodTermination,
  },
  {
    name: "clusterrole-aggregation",
    summary: "rules of ClusterRoles that gather those of others (admin, edit, view)",
    fieldManager: AGGREGATION_MANAGER,
    create: createClusterRoleAggregation,
  },
  {
    name: "serviceaccount",
    summary: "the default ServiceAccount of every namespace",
    fieldManager,
    offByDefault: true,
    create: createServiceAccountController,
  },
  {
    name: "root-ca-publisher",
    summary: "the ConfigMap kube-root-ca.crt in every namespace",
    fieldManager,
    offByDefault: true,
    create: createRootCaPublisher,
  },
  {
    name: "endpoints",
    summary: "Endpoints of Services that select pods",
    fieldManager,
    create: createEndpointsController,
  },
  {
    name: "endpointslice",
    summary: "EndpointSlices of Services that select pods",
    fieldManager,
    create: createEndpointSliceController,
  },
  {
    name: "endpointslice-mirroring",
    summary: "EndpointSlices for Endpoints that somebody wrote",
    fieldManager,
    create: createEndpointSliceMirroringController,
  },
  {
    name: POLICY_STATUS,
    summary: "what the expressions of ValidatingAdmissionPolicies get wrong about types",
    fieldManager: POLICY_STATUS,
    create: createPolicyStatus,
  },
];
