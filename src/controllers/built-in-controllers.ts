// The controllers that kube-controller-manager runs in a cluster, as data for the manager: what a client expects of any
// API server that has a cluster behind it.

import { policyStatus } from "./admission-policy-status/controller.ts";
import { clusterRoleAggregation } from "./clusterrole-aggregation/controller.ts";
import { createEndpointsController } from "./endpoints/controller.ts";
import { createEndpointSliceController } from "./endpointslice/controller.ts";
import { createEndpointSliceMirroringController } from "./endpointslice-mirroring/controller.ts";
import { createGarbageCollector } from "./garbage-collector/controller.ts";
import { createNamespaceController } from "./namespace/controller.ts";
import { podTermination } from "./pod-termination/controller.ts";
import { rootCaPublisher } from "./root-ca-publisher/controller.ts";
import type { ControllerDescriptor } from "./runtime/controller.ts";
import { serviceAccount } from "./serviceaccount/controller.ts";

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
  podTermination,
  clusterRoleAggregation,
  serviceAccount,
  rootCaPublisher,
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
  policyStatus,
];
