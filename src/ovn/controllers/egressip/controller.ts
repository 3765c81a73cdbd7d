// The EgressIP controller: assigns addresses of EgressIPs to nodes and writes their status. Plans are made in
// src/ovn/assignment/plan.ts, the keys for node events in egress-ip.ts.

import { NODES } from "../../../controller/api.ts";
import { defineController } from "../../../controller/define-controller.ts";
import { CLOUD_PRIVATE_IP_CONFIGS } from "../cloud/provider.ts";
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
      toKeys: (change, { memory }) => memory.onUpdate(change),
    },
    configs: {
      resource: CLOUD_PRIVATE_IP_CONFIGS,
      isWanted: isOnCloud,
      take: (change, { memory }) => memory.onCloudPrivateIpConfig(change),
    },
  },
  prepare: ({ memory }) => memory.prepare(),
  reconcile: (name, { memory }) => memory.reconcile(name),
});
