// Plays the agents on the nodes for the kinds whose rules they put into force: every node is a zone, and says in its
// own name what it makes of each object. Nothing is put into force; the outcome is that of the checks.

import { objectAt, objectsAt } from "../../meta/json.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import { keysIn, NADS, NAMESPACES, NODES, PODS } from "../kit/api.ts";
import { defineController } from "../kit/define-controller.ts";
import type { KitWith, Watch, World } from "../kit/definition.ts";
import { isNewest } from "../kit/settings.ts";
import {
  applyStatus,
  EGRESS_FIREWALL,
  EGRESS_QOS,
  EXTERNAL_ROUTE,
  NETWORK_QOS,
  type ZonesOptions as NodesOfZones,
  readZonedKey,
  type ZonedKind,
  type ZonedKindName,
  zonedKey,
  zonedKeys,
  zonesIn,
} from "../status-manager/zoned-kinds.ts";
import { type EgressFirewallOptions, selectsNodes } from "./rule-checks.ts";
import { reportOn } from "./zone-report.ts";
import { ZoneWorld } from "./zone-world.ts";

export type ZonesOptions = NodesOfZones & Partial<EgressFirewallOptions>;

/** The objects of a kind are watched under the kind's name. */
type Names = "nodes" | "namespaces" | "pods" | "attachments" | ZonedKindName;
type Zones = World<Names, ZoneWorld>;

const zoned = (kind: ZonedKind): Watch<Zones> => ({
  resource: kind.resource,
  on: ["add", "update"],
  toKeys: ({ object }) => [zonedKey(kind, object)],
});

export const zones = (options: ZonesOptions = {}) =>
  defineController({
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
          zonedKeys(
            world,
            (kind, object) => type === "add" || (kind === EGRESS_FIREWALL && selectsNodes(object)),
          ),
      },
      namespaces: {
        resource: NAMESPACES,
        facts: ({ metadata }) => metadata.labels,
        toKeys: ({ object }, world) =>
          zonedKeys(
            world,
            (kind, { metadata }) =>
              kind === EXTERNAL_ROUTE ||
              kind === NETWORK_QOS ||
              (kind === EGRESS_FIREWALL && metadata.namespace === object.metadata.name),
          ),
      },
      pods: {
        resource: PODS,
        take: (change, { memory }) => memory.take("pods", change),
        toKeys: (_, world) =>
          zonedKeys(world, (kind, object) => kind === EXTERNAL_ROUTE && selectsPods(object)),
      },
      attachments: {
        resource: NADS,
        take: (change, { memory }) => memory.take("attachments", change),
        toKeys: ({ object }, world) =>
          zonedKeys(
            world,
            (kind, { metadata }) =>
              kind === NETWORK_QOS ||
              (kind === EGRESS_FIREWALL && metadata.namespace === object.metadata.namespace),
          ),
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
            : zonedKeys(world, (kind) => kind === EXTERNAL_ROUTE),
      },
    },
    async reconcile(key, world) {
      const [kind, objectKey] = readZonedKey(key);
      const object = kind && world[kind.kind].get(objectKey);
      if (!kind || !object) return;
      const { nodes, clock, clientFor, memory, signal } = world;
      const { dnsNameResolver = false } = options;
      const report = reportOn(kind.kind, object, memory, { dnsNameResolver });
      if (!report) return;
      const primary = kind.perNetwork && memory.primaryNetwork(object.metadata.namespace ?? "");
      for (const zone of zonesIn(keysIn(nodes), primary, options)) {
        const status = report(zone, clock.now());
        // A node that has gone in the meantime says nothing any more.
        if (!status || !nodes.get(zone) || signal.aborted) continue;
        await applyStatus(clientFor(zone), kind, object, { status });
      }
    },
  });

const selectsPods = (route: KubeObject): boolean =>
  objectsAt(objectAt(objectAt(route, "spec"), "nextHops"), "dynamic").length > 0;

const isSameAsked = (old: KubeObject, object: KubeObject): boolean =>
  old.metadata.generation === object.metadata.generation &&
  old.metadata.deletionTimestamp === object.metadata.deletionTimestamp;
