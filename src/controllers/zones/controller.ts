// Plays the agents on the nodes for the kinds whose rules they put into force: every node is a zone, and says in its
// own name what it makes of each object. Nothing is put into force; the outcome is that of the checks.
import { objectAt, objectsAt, textAt } from "../../meta/json.ts";
import { type KubeObject, specOf } from "../../meta/object-meta.ts";
import { ignoring, keyOfObject, keysIn, NADS, NAMESPACES, NODES, PODS } from "../kit/api.ts";
import { applyStatus } from "../kit/conditions.ts";
import { defineController } from "../kit/define-controller.ts";
import type { KitWith, Watch, World } from "../kit/definition.ts";
import { isNewest } from "../kit/settings.ts";
import { checkEgressFirewall, selectsNodes } from "./rule-checks.ts";
import {
  ALL_ZONED,
  any,
  EGRESS_FIREWALL,
  EGRESS_QOS,
  EXTERNAL_ROUTE,
  isIn,
  NETWORK_QOS,
  readZonedKey,
  type ZonedKind,
  type ZonedKindName,
  zonedKey,
  zonedKeys,
} from "./status-manager.ts";
import { reportOn } from "./zone-report.ts";
import { ZoneWorld } from "./zone-world.ts";

/** The objects of a kind are watched under the kind's name. */
type Names = "nodes" | "namespaces" | "pods" | "attachments" | ZonedKindName;

const zoned = (kind: ZonedKind): Watch<World<Names, ZoneWorld>> => ({
  resource: kind.resource,
  on: ["add", "update"],
  toKeys: ({ object }) => [zonedKey(kind, object)],
});

export const zones = defineController({
  name: "zones",
  summary: "every node is a zone and reports on firewalls, QoS and external routes",
  fieldManager: "ovnkube-node",
  isWanted: (settings) => settings.zones === "internal" && isNewest(settings),
  memory: (kit: KitWith<Names>) => new ZoneWorld(kit),
  watches: {
    nodes: {
      resource: NODES,
      facts: ({ metadata }) => [metadata.labels, metadata.annotations],
      toKeys: ({ type }, world) =>
        zonedKeys(world, type === "add" ? ALL_ZONED : { EgressFirewall: selectsNodes }),
    },
    namespaces: {
      resource: NAMESPACES,
      facts: ({ metadata }) => metadata.labels,
      toKeys: ({ object: { metadata } }, world) =>
        zonedKeys(world, {
          AdminPolicyBasedExternalRoute: any,
          NetworkQoS: any,
          EgressFirewall: isIn(metadata.name),
        }),
    },
    pods: {
      resource: PODS,
      toKeys: (_, world) => zonedKeys(world, { AdminPolicyBasedExternalRoute: selectsPods }),
    },
    attachments: {
      resource: NADS,
      toKeys: ({ object: { metadata } }, world) =>
        zonedKeys(world, { NetworkQoS: any, EgressFirewall: isIn(metadata.namespace) }),
    },
    EgressFirewall: zoned(EGRESS_FIREWALL),
    EgressQoS: zoned(EGRESS_QOS),
    NetworkQoS: zoned(NETWORK_QOS),
    AdminPolicyBasedExternalRoute: {
      resource: EXTERNAL_ROUTE.resource,
      // Which of two has a namespace depends on both, but not on what zones report.
      toKeys: ({ object, old }, world) =>
        old && isSameAsked(old, object)
          ? [zonedKey(EXTERNAL_ROUTE, object)]
          : zonedKeys(world, { AdminPolicyBasedExternalRoute: any }),
    },
  },
  async reconcile(key, world) {
    const [kind, objectKey] = readZonedKey(key);
    const object = kind && world[kind.kind].get(objectKey);
    if (!kind || !object) return;
    const { nodes, clock, clientFor, memory, signal } = world;
    const report = reportOn(kind.kind, object, memory);
    for (const zone of report ? keysIn(nodes) : []) {
      const status = report?.(zone, clock.now());
      // A node that has gone in the meantime says nothing any more.
      if (!status || !nodes.get(zone) || signal.aborted) continue;
      await applyStatus(clientFor(zone), kind.resource, object, { status });
    }
  },
});

const selectsPods = (route: KubeObject): boolean =>
  objectsAt(objectAt(specOf(route), "nextHops"), "dynamic").length > 0;

const isSameAsked = (old: KubeObject, object: KubeObject): boolean =>
  old.metadata.generation === object.metadata.generation &&
  old.metadata.deletionTimestamp === object.metadata.deletionTimestamp;

// EgressFirewalls as OpenShift 4.13 had them: one process for the whole cluster puts the rules into force and says in
// status.status, with an update of the whole object, how that went (behaviour.md c.12).

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
