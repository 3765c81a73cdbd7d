// The controllers around networks, as data for the manager.
import {
  CLUSTER_NETWORK_CONNECT_FIELD_MANAGER,
  createClusterNetworkConnectController,
} from "./clusternetworkconnect/controller.ts";
import { createEgressRouterController, EGRESS_ROUTER_FIELD_MANAGER } from "./egressrouter/controller.ts";
import { createNetworksController, NETWORKS_FIELD_MANAGER } from "./networks/controller.ts";
import {
  createRouteAdvertisementsController,
  ROUTE_ADVERTISEMENTS_FIELD_MANAGER,
} from "./routeadvertisements/controller.ts";
import type { ControllerDescriptor, ManagedDeps } from "./runtime/controller.ts";
import { createUplinkController, UPLINK_FIELD_MANAGER } from "./uplink/controller.ts";
import {
  createUserDefinedNetworkController,
  USER_DEFINED_NETWORK_FIELD_MANAGER,
} from "./userdefinednetwork/controller.ts";
import { createVtepController, VTEP_FIELD_MANAGER } from "./vtep/controller.ts";
import { createWhereaboutsController, WHEREABOUTS_FIELD_MANAGER } from "./whereabouts/controller.ts";

const onCluster = (deps: ManagedDeps) => ({
  ...deps,
  clusterNetworks: { clusterSubnets: deps.settings.clusterSubnets },
});

export const networkControllers: readonly ControllerDescriptor[] = [
  {
    name: "userdefinednetwork",
    fieldManager: USER_DEFINED_NETWORK_FIELD_MANAGER,
    create: (deps) => createUserDefinedNetworkController(onCluster(deps)),
  },
  {
    name: "networks",
    fieldManager: NETWORKS_FIELD_MANAGER,
    create: (deps) => createNetworksController(onCluster(deps)),
  },
  {
    name: "routeadvertisements",
    fieldManager: ROUTE_ADVERTISEMENTS_FIELD_MANAGER,
    create: (deps) => createRouteAdvertisementsController(onCluster(deps)),
  },
  { name: "vtep", fieldManager: VTEP_FIELD_MANAGER, create: createVtepController },
  {
    name: "clusternetworkconnect",
    fieldManager: CLUSTER_NETWORK_CONNECT_FIELD_MANAGER,
    create: (deps) => createClusterNetworkConnectController(onCluster(deps)),
  },
  { name: "uplink", fieldManager: UPLINK_FIELD_MANAGER, create: createUplinkController },
  { name: "egressrouter", fieldManager: EGRESS_ROUTER_FIELD_MANAGER, create: createEgressRouterController },
  { name: "whereabouts", fieldManager: WHEREABOUTS_FIELD_MANAGER, create: createWhereaboutsController },
];
