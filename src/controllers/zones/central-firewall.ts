// EgressFirewalls as OpenShift 4.13 had them: one process for the whole cluster puts the rules into force and says in
// status.status, with an update of the whole object, how that went (behaviour.md c.12).

import { objectAt, textAt } from "../../meta/json.ts";
import { ignoring, keyOfObject, NODES } from "../kit/api.ts";
import { defineController } from "../kit/define-controller.ts";
import { isNewest } from "../kit/settings.ts";
import { EGRESS_FIREWALL } from "../status-manager/zoned-kinds.ts";
import { checkEgressFirewall, selectsNodes } from "./rule-checks.ts";

const NOT_ADDED = "EgressFirewall Rules not correctly added";

export const centralFirewall = defineController({
  name: "egressfirewall",
  summary: "status of EgressFirewalls (--profile openshift-4.13)",
  fieldManager: "ovnkube",
  isWanted: (settings) => settings.zones === "internal" && !isNewest(settings),
  watches: {
    nodes: {
      resource: NODES,
      toKeys: (_, { firewalls }) => [...firewalls.list()].filter(selectsNodes).map(keyOfObject),
    },
    firewalls: { resource: EGRESS_FIREWALL.resource, on: ["add", "update"] },
  },
  async reconcile(key, { firewalls, nodes, client }) {
    const firewall = firewalls.get(key);
    if (firewall === undefined) return;
    // Nobody had a network of his own then, so that of the cluster only the nodes count.
    const complaint = checkEgressFirewall(firewall, {
      nodes: (selector) => [...nodes.list()].filter(({ metadata }) => selector.matches(metadata.labels)),
      hasNamespace: () => true,
      lacksNetwork: () => false,
    });
    const status = complaint === undefined ? EGRESS_FIREWALL.success : NOT_ADDED;
    if (textAt(objectAt(firewall, "status"), "status") === status) return;
    // Of what has changed meanwhile an event is on its way.
    await ignoring([404, 409], client.update(EGRESS_FIREWALL.resource, { ...firewall, status: { status } }));
  },
});
