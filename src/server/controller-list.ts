// The registry of controllers, used by the manager and by --controllers. They start in this order.

import { cronJob } from "../cluster/cronjob/controller.ts";
import { daemonSet } from "../cluster/daemonset/controller.ts";
import { deployment } from "../cluster/deployment/controller.ts";
import { job } from "../cluster/job/controller.ts";
import { nodeLifecycle } from "../cluster/node-lifecycle/controller.ts";
import { podGarbageCollector } from "../cluster/node-lifecycle/pod-garbage-collector.ts";
import { taintEviction } from "../cluster/node-lifecycle/taint-eviction.ts";
import { podAgent } from "../cluster/pod-agent/controller.ts";
import { podTermination } from "../cluster/pod-termination.ts";
import { replicaSet, replicationController } from "../cluster/replicaset/controller.ts";
import { scheduler } from "../cluster/scheduler/controller.ts";
import { statefulSet } from "../cluster/statefulset/controller.ts";
import { ttlAfterFinished } from "../cluster/ttl-after-finished.ts";
import type { ControllerDescriptor } from "../controller/definition.ts";
import { policyStatus } from "../kube/controllers/admission-policy-status.ts";
import { certificateSigner } from "../kube/controllers/certificate-signer.ts";
import { clusterRoleAggregation } from "../kube/controllers/clusterrole-aggregation.ts";
import { disruption } from "../kube/controllers/disruption/controller.ts";
import { endpoints } from "../kube/controllers/endpoints/controller.ts";
import { endpointSlice } from "../kube/controllers/endpointslice/controller.ts";
import { endpointSliceMirroring } from "../kube/controllers/endpointslice-mirroring.ts";
import { flowControl } from "../kube/controllers/flow-control.ts";
import { garbageCollector } from "../kube/controllers/garbage-collector/controller.ts";
import { rootCaPublisher, serviceAccount } from "../kube/controllers/in-each-namespace.ts";
import { namespace } from "../kube/controllers/namespace/controller.ts";
import { nodePortRepair } from "../kube/controllers/nodeport-repair.ts";
import { resourceQuota } from "../kube/controllers/resourcequota/controller.ts";
import { serverConfigMaps } from "../kube/controllers/server-configmaps.ts";
import { serviceAccountToken } from "../kube/controllers/serviceaccount-token.ts";
import { cloud } from "../ovn/controllers/cloud/controller.ts";
import { clusterNetworkConnect } from "../ovn/controllers/clusternetworkconnect.ts";
import { egressIp } from "../ovn/controllers/egressip/controller.ts";
import { egressRouter } from "../ovn/controllers/egressrouter.ts";
import { egressService } from "../ovn/controllers/egressservice/controller.ts";
import { networkAnnotations } from "../ovn/controllers/network-annotations/controller.ts";
import { networks } from "../ovn/controllers/networks/controller.ts";
import { nodeAgent } from "../ovn/controllers/node-agent/controller.ts";
import { routeAdvertisements } from "../ovn/controllers/routeadvertisements/controller.ts";
import { uplink, vtep } from "../ovn/controllers/underlay.ts";
import { userDefinedNetwork } from "../ovn/controllers/userdefinednetwork/controller.ts";
import { whereabouts } from "../ovn/controllers/whereabouts/controller.ts";
import { centralFirewall, zones } from "../ovn/controllers/zones/controller.ts";
import { statusManager } from "../ovn/controllers/zones/status-manager.ts";

export const controllerDescriptors: readonly ControllerDescriptor[] = [
  garbageCollector,
  namespace,
  podTermination,
  resourceQuota,
  certificateSigner,
  clusterRoleAggregation,
  flowControl,
  nodePortRepair,
  serverConfigMaps,
  serviceAccount,
  serviceAccountToken,
  rootCaPublisher,
  endpoints,
  endpointSlice,
  endpointSliceMirroring,
  policyStatus,
  disruption,
  egressIp,
  cloud,
  egressService,
  statusManager,
  zones,
  centralFirewall,
  networkAnnotations,
  userDefinedNetwork,
  networks,
  routeAdvertisements,
  vtep,
  clusterNetworkConnect,
  uplink,
  egressRouter,
  whereabouts,
  // Parts of the simulated cluster (--cluster).
  cronJob,
  job,
  ttlAfterFinished,
  deployment,
  replicaSet,
  replicationController,
  statefulSet,
  daemonSet,
  nodeAgent,
  nodeLifecycle,
  taintEviction,
  podGarbageCollector,
  scheduler,
  podAgent,
];
