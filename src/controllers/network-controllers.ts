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
import type { ControllerSettings } from "./runtime/settings.ts";
import { createUplinkController, UPLINK_FIELD_MANAGER } from "./uplink/controller.ts";
import {
  createUserDefinedNetworkController,
  USER_DEFINED_NETWORK_FIELD_MANAGER,
} from "./userdefinednetwork/controller.ts";
import { networkFeatures } from "./userdefinednetwork/features.ts";
import { createVtepController, VTEP_FIELD_MANAGER } from "./vtep/controller.ts";
import { createWhereaboutsController, WHEREABOUTS_FIELD_MANAGER } from "./whereabouts/controller.ts";

/** The kinds of user-defined networks came after OpenShift 4.13. */
const hasNetworkKinds = ({ profile }: ControllerSettings): boolean => profile !== "openshift-4.13";

function onCluster(deps: ManagedDeps) {
  const { clusterSubnets, serviceClusterIpRange } = deps.settings;
  const serviceCidrs = serviceClusterIpRange ? { serviceCidrs: serviceClusterIpRange } : {};
  return { ...deps, clusterNetworks: { clusterSubnets, ...serviceCidrs } };
}

const NETWORK_CONTROLLERS: readonly ControllerDescriptor[] = [
  {
    name: "userdefinednetwork",
    fieldManager: USER_DEFINED_NETWORK_FIELD_MANAGER,
    create: (deps) => {
      const features = networkFeatures(deps.settings.networkFeatures);
      return createUserDefinedNetworkController({ ...onCluster(deps), features });
    },
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
];

export const networkControllers: readonly ControllerDescriptor[] = [
  ...NETWORK_CONTROLLERS.map((descriptor) => ({ ...descriptor, isWanted: hasNetworkKinds })),
  {
    name: "egressrouter",
    fieldManager: EGRESS_ROUTER_FIELD_MANAGER,
    create: (deps) => createEgressRouterController({ ...deps, profile: deps.settings.profile }),
  },
  {
    name: "whereabouts",
    fieldManager: WHEREABOUTS_FIELD_MANAGER,
    create: (deps) =>
      createWhereaboutsController({ ...deps, notesInterfaces: deps.settings.profile !== "openshift-4.13" }),
  },
];
