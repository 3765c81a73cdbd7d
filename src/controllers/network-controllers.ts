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
import { uplink } from "./uplink/controller.ts";
import {
  createUserDefinedNetworkController,
  USER_DEFINED_NETWORK_FIELD_MANAGER,
} from "./userdefinednetwork/controller.ts";
import { networkFeatures } from "./userdefinednetwork/features.ts";
import { vtep } from "./vtep/controller.ts";
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
    summary: "NetworkAttachmentDefinitions and conditions of user-defined networks",
    fieldManager: USER_DEFINED_NETWORK_FIELD_MANAGER,
    create: (deps) => {
      const features = networkFeatures(deps.settings.networkFeatures);
      return createUserDefinedNetworkController({ ...onCluster(deps), features });
    },
  },
  {
    name: "networks",
    summary: "numbers and conditions of networks that span namespaces or nodes",
    fieldManager: NETWORKS_FIELD_MANAGER,
    create: (deps) => createNetworksController(onCluster(deps)),
  },
  {
    name: "routeadvertisements",
    summary: "FRRConfigurations of RouteAdvertisements, and whether these are accepted",
    fieldManager: ROUTE_ADVERTISEMENTS_FIELD_MANAGER,
    create: (deps) => createRouteAdvertisementsController(onCluster(deps)),
  },
  vtep,
  {
    name: "clusternetworkconnect",
    summary: "whether networks can be connected",
    fieldManager: CLUSTER_NETWORK_CONNECT_FIELD_MANAGER,
    create: (deps) => createClusterNetworkConnectController(onCluster(deps)),
  },
  uplink,
];

export const networkControllers: readonly ControllerDescriptor[] = [
  ...NETWORK_CONTROLLERS.map((descriptor) => ({ ...descriptor, isWanted: hasNetworkKinds })),
  {
    name: "egressrouter",
    summary: "the objects behind EgressRouters",
    fieldManager: EGRESS_ROUTER_FIELD_MANAGER,
    create: (deps) => createEgressRouterController({ ...deps, profile: deps.settings.profile }),
  },
  {
    name: "whereabouts",
    summary: "addresses for pods in attached networks",
    fieldManager: WHEREABOUTS_FIELD_MANAGER,
    create: (deps) =>
      createWhereaboutsController({ ...deps, notesInterfaces: deps.settings.profile !== "openshift-4.13" }),
  },
];
