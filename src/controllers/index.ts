// The registry of controllers, used by the manager and by --controllers. They start in this order.
import { policyStatus } from "./admission-policy-status.ts";
import { certificateSigner } from "./certificate-signer.ts";
import { cloud } from "./cloud/controller.ts";
import { clusterNetworkConnect } from "./clusternetworkconnect.ts";
import { clusterRoleAggregation } from "./clusterrole-aggregation.ts";
import { cronJob } from "./cronjob/controller.ts";
import { daemonSet } from "./daemonset/controller.ts";
import { deployment } from "./deployment/controller.ts";
import { disruption } from "./disruption/controller.ts";
import { egressIp } from "./egressip/controller.ts";
import { egressRouter } from "./egressrouter.ts";
import { egressService } from "./egressservice/controller.ts";
import { endpoints } from "./endpoints/controller.ts";
import { endpointSlice } from "./endpointslice/controller.ts";
import { endpointSliceMirroring } from "./endpointslice-mirroring.ts";
import { flowControl } from "./flow-control.ts";
import { garbageCollector } from "./garbage-collector/controller.ts";
import { rootCaPublisher, serviceAccount } from "./in-each-namespace.ts";
import { job } from "./job/controller.ts";
import type { ControllerDescriptor } from "./kit/definition.ts";
import { namespace } from "./namespace/controller.ts";
import { networkAnnotations } from "./network-annotations/controller.ts";
import { networks } from "./networks/controller.ts";
import { nodeAgent } from "./node-agent/controller.ts";
import { nodeLifecycle } from "./node-lifecycle/controller.ts";
import { podGarbageCollector } from "./node-lifecycle/pod-garbage-collector.ts";
import { taintEviction } from "./node-lifecycle/taint-eviction.ts";
import { nodePortRepair } from "./nodeport-repair.ts";
import { podAgent } from "./pod-agent/controller.ts";
import { podTermination } from "./pod-termination.ts";
import { replicaSet, replicationController } from "./replicaset/controller.ts";
import { resourceQuota } from "./resourcequota/controller.ts";
import { routeAdvertisements } from "./routeadvertisements/controller.ts";
import { scheduler } from "./scheduler/controller.ts";
import { serverConfigMaps } from "./server-configmaps.ts";
import { serviceAccountToken } from "./serviceaccount-token.ts";
import { statefulSet } from "./statefulset/controller.ts";
import { ttlAfterFinished } from "./ttl-after-finished.ts";
import { uplink, vtep } from "./underlay.ts";
import { userDefinedNetwork } from "./userdefinednetwork/controller.ts";
import { whereabouts } from "./whereabouts/controller.ts";
import { centralFirewall, zones } from "./zones/controller.ts";
import { statusManager } from "./zones/status-manager.ts";

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
