// The EgressIP controller: places the addresses of EgressIPs on nodes and says so in their status. The decisions are
// made in plan.ts and node-events.ts; here the objects of the API come in.
import { CLOUD_PRIVATE_IP_CONFIGS } from "../cloud/provider.ts";
import { NODES } from "../kit/api.ts";
import { defineController } from "../kit/define-controller.ts";
import { CloudEgressIps } from "./cloud-placement.ts";
import { EGRESS_IPS } from "./egress-ip.ts";
import { type EgressIpKit, EgressIps, isOnCloud, productOf } from "./egress-ips.ts";

export const egressIp = defineController({
  name: "egressip",
  summary: "places the addresses of EgressIPs on nodes; status, mark, events",
  fieldManager: "ovnkube-cluster-manager",
  events: (settings) => productOf(settings).eventComponent,
  memory: (kit: EgressIpKit) => (isOnCloud(kit.settings) ? new CloudEgressIps(kit) : new EgressIps(kit)),
  watches: {
    nodes: { resource: NODES, take: (change, { memory }) => memory.takeNode(change) },
    egressIps: {
      resource: EGRESS_IPS,
      take: (change, { memory }) => memory.takeEgressIp(change),
      toKeys: (change, { memory }) => memory.followUp(change),
    },
    configs: {
      resource: CLOUD_PRIVATE_IP_CONFIGS,
      isWanted: isOnCloud,
      take: (change, { memory }) => memory.hear(change),
    },
  },
  prepare: ({ memory }) => memory.prepare(),
  reconcile: (name, { memory }) => memory.reconcile(name),
});
