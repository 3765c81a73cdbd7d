// The controllers that kube-controller-manager runs in a cluster, as data for the manager: what a client expects of any
// API server that has a cluster behind it.

import { createPolicyStatus, POLICY_STATUS } from "./admission-policy-status/controller.ts";
import { AGGREGATION_MANAGER, createClusterRoleAggregation } from "./clusterrole-aggregation/controller.ts";
import { createEndpointsController } from "./endpoints/controller.ts";
import { createEndpointSliceController } from "./endpointslice/controller.ts";
import { createEndpointSliceMirroringController } from "./endpointslice-mirroring/controller.ts";
import { createGarbageCollector } from "./garbage-collector/controller.ts";
import { createNamespaceController } from "./namespace/controller.ts";
import { createRootCaPublisher } from "./root-ca-publisher/controller.ts";
import type { ControllerDescriptor } from "./runtime/controller.ts";
import { createServiceAccountController } from "./serviceaccount/controller.ts";

const fieldManager = "kube-controller-manager";

export const builtInControllers: readonly ControllerDescriptor[] = [
  { name: "garbage-collector", fieldManager, create: createGarbageCollector },
  { name: "namespace", fieldManager, create: createNamespaceController },
  {
    name: "clusterrole-aggregation",
    fieldManager: AGGREGATION_MANAGER,
    create: createClusterRoleAggregation,
  },
  { name: "serviceaccount", fieldManager, offByDefault: true, create: createServiceAccountController },
  { name: "root-ca-publisher", fieldManager, offByDefault: true, create: createRootCaPublisher },
  { name: "endpoints", fieldManager, create: createEndpointsController },
  { name: "endpointslice", fieldManager, create: createEndpointSliceController },
  { name: "endpointslice-mirroring", fieldManager, create: createEndpointSliceMirroringController },
  { name: POLICY_STATUS, fieldManager: POLICY_STATUS, create: createPolicyStatus },
];
