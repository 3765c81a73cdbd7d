// The controllers that exist: data for the manager and for --controllers.
import { builtInControllers } from "./built-in-controllers.ts";
import { createCloudController } from "./cloud/controller.ts";
import { createEgressIpController } from "./egressip/controller.ts";
import { createEgressServiceController } from "./egressservice/controller.ts";
import { parseClusterSubnets } from "./network-annotations/cluster-subnets.ts";
import { createNetworkAnnotationsController } from "./network-annotations/controller.ts";
import { networkControllers } from "./network-controllers.ts";
import type { ControllerDescriptor } from "./runtime/controller.ts";
import type { ControllerSettings } from "./runtime/settings.ts";
import { createStatusManager, STATUS_MANAGER } from "./status-manager/controller.ts";
import { createCentralFirewallController } from "./zones/central-firewall.ts";
import { createZonesController } from "./zones/controller.ts";

/** OpenShift 4.13 had none of the kinds of those that want this, or did their work otherwise. */
const isNewest = ({ profile }: ControllerSettings): boolean => profile !== "openshift-4.13";

export const controllerDescriptors: readonly ControllerDescriptor[] = [
  ...builtInControllers,
  {
    name: "egressip",
    summary: "places the addresses of EgressIPs on nodes; status, mark, events",
    fieldManager: "ovnkube-cluster-manager",
    create: createEgressIpController,
  },
  {
    name: "cloud",
    summary: "plays the cloud: annotates nodes and answers CloudPrivateIPConfigs (--platform)",
    fieldManager: "cloud-network-config-controller",
    isWanted: ({ platform, cloud }) => platform !== "none" && cloud === "internal",
    create: createCloudController,
  },
  {
    name: "egressservice",
    summary: "chooses the node of each EgressService; status and the label of the node",
    fieldManager: "ovnkube-cluster-manager",
    isWanted: isNewest,
    create: (deps) => {
      const clusterNetworks = parseClusterSubnets(deps.settings.clusterSubnets).map(({ cidr }) => cidr);
      return createEgressServiceController({ ...deps, clusterNetworks });
    },
  },
  {
    name: "status-manager",
    summary: "sums up in status.status what the zones report",
    fieldManager: STATUS_MANAGER,
    isWanted: isNewest,
    create: createStatusManager,
  },
  {
    name: "zones",
    summary: "every node is a zone and reports on firewalls, QoS and external routes",
    fieldManager: "ovnkube-node",
    isWanted: (settings) => settings.zones === "internal" && isNewest(settings),
    create: createZonesController,
  },
  {
    name: "egressfirewall",
    summary: "status of EgressFirewalls (--profile openshift-4.13)",
    fieldManager: "ovnkube",
    isWanted: (settings) => settings.zones === "internal" && !isNewest(settings),
    create: createCentralFirewallController,
  },
  {
    name: "network-annotations",
    summary: "gives every node its number and its parts of the pod networks",
    fieldManager: "ovnkube-cluster-manager",
    create: (deps) => {
      const clusterSubnets = parseClusterSubnets(deps.settings.clusterSubnets);
      return createNetworkAnnotationsController({ ...deps, clusterSubnets });
    },
  },
  ...networkControllers,
];
