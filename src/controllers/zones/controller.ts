// Plays the agents on the nodes for the kinds whose rules they put into force: every node is a zone, and says in its
// own name what it makes of each object. Nothing is put into force; the outcome is that of the checks.

import { formatTime } from "../../meta/clock.ts";
import { objectAt, objectsAt, textAt } from "../../meta/json.ts";
import { type KubeObject, specOf } from "../../meta/object-meta.ts";
import { ignoring, isGoing, keyOfObject, keysIn, NADS, NAMESPACES, NODES, PODS } from "../kit/api.ts";
import { applyStatus, Complaint, type Said } from "../kit/conditions.ts";
import { defineController } from "../kit/define-controller.ts";
import type { KitWith, Watch, World } from "../kit/definition.ts";
import { isNewest } from "../kit/settings.ts";
import { gatewaysOf } from "./external-route.ts";
import {
  checkEgressFirewall,
  checkEgressQos,
  checkNetworkQos,
  concernsNetwork,
  selectsNodes,
} from "./rule-checks.ts";
import {
  ALL_ZONED,
  any,
  conditionsOf,
  EGRESS_FIREWALL,
  EGRESS_QOS,
  EXTERNAL_ROUTE,
  isIn,
  messagesOf,
  NETWORK_QOS,
  readZonedKey,
  ZONE_CONDITION,
  type ZonedKind,
  type ZonedKindName,
  zonedKey,
  zonedKeys,
} from "./status-manager.ts";
import { type ZoneWorld, zoneWorld } from "./zone-world.ts";

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
  memory: (kit: KitWith<Names>) => zoneWorld(kit),
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

// What a zone says about an object: the part of the status that it owns.

/** The status to apply in the name of a zone; undefined if the object says so already. */
type ZoneReport = (zone: string, nowMs: number) => Record<string, unknown> | undefined;

/** Looks at the object once for all zones; undefined if no zone has anything to say. */
export function reportOn(kind: ZonedKindName, object: KubeObject, world: ZoneWorld): ZoneReport | undefined {
  if (isGoing(object)) return undefined;
  switch (kind) {
    case "EgressFirewall": {
      const { success, failure } = EGRESS_FIREWALL;
      const complaint = checkEgressFirewall(object, world);
      return message(object, () => (complaint === undefined ? success : `${failure}: ${complaint}`));
    }
    case "AdminPolicyBasedExternalRoute": {
      const report = message(object, routeText(object, world));
      // The time of the last report of any zone.
      return (zone, nowMs) => {
        const status = report(zone, nowMs);
        return status && { ...status, lastTransitionTime: formatTime(nowMs) };
      };
    }
    case "EgressQoS": {
      const complaint = checkEgressQos(object);
      return complaint === undefined
        ? condition(object, "True", { reason: "SetupSucceeded", message: EGRESS_QOS.success })
        : condition(object, "False", {
            reason: "SetupFailed",
            message: `${EGRESS_QOS.failure}: ${complaint}`,
          });
    }
    case "NetworkQoS": {
      if (!concernsNetwork(object, world)) return undefined;
      // The agents send this generation with every condition, and never another value.
      const more = { observedGeneration: 0 };
      const complaint = checkNetworkQos(object);
      if (complaint !== undefined)
        return condition(object, "False", { reason: "Failed", message: complaint }, more);
      return condition(
        object,
        "True",
        { reason: "Success", message: "NetworkQoS was applied successfully" },
        more,
      );
    }
  }
}

function routeText(policy: KubeObject, world: ZoneWorld): (zone: string) => string {
  try {
    const { addresses } = gatewaysOf(policy, world);
    return () => `configured external gateway IPs: ${addresses.join(",")}`;
  } catch (error) {
    if (!(error instanceof Complaint)) throw error;
    return (zone) => `${zone} failed to apply policy: ${error.message}`;
  }
}

function message(object: KubeObject, textFor: (zone: string) => string): ZoneReport {
  const there = new Set(messagesOf(object));
  return (zone) => {
    const text = `${zone}: ${textFor(zone)}`;
    return there.has(text) ? undefined : { messages: [text] };
  };
}

/** A condition keeps its time until its status changes. */
function condition(object: KubeObject, status: "True" | "False", said: Said, more: object = {}): ZoneReport {
  const there = new Map(conditionsOf(object).map((known) => [known["type"], known]));
  return (zone, nowMs) => {
    const type = ZONE_CONDITION + zone;
    const known = there.get(type);
    const since = known?.["status"] === status ? known["lastTransitionTime"] : undefined;
    if (since !== undefined && known?.["reason"] === said.reason && known["message"] === said.message)
      return undefined;
    return {
      conditions: [{ type, status, ...said, lastTransitionTime: since ?? formatTime(nowMs), ...more }],
    };
  };
}
