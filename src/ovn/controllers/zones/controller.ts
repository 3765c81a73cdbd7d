// Emulates ovnkube-node for kinds with a status from every zone: each node is a zone, and applies its report with its own
// name as field manager (src/ovn/rules.md R120). No rules are programmed; reports are the results of validation.

import { objectAt, objectsAt, textAt } from "../../../apimachinery/json/json.ts";
import { formatTime } from "../../../apimachinery/meta/clock.ts";
import { type KubeObject, specOf } from "../../../apimachinery/meta/object-meta.ts";
import {
  ignoring,
  isGoing,
  keyOfObject,
  keysIn,
  NADS,
  NAMESPACES,
  NODES,
  PODS,
} from "../../../controller/api.ts";
import { applyStatus, Complaint, type Said } from "../../../controller/conditions.ts";
import { defineController } from "../../../controller/define-controller.ts";
import type { KitWith, Watch, World } from "../../../controller/definition.ts";
import { isNewest } from "../../../controller/settings.ts";
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

/** Watches of zoned kinds have the name of the kind. */
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
      // A spec change may affect other policies for the same namespace; a status change does not.
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
      // A node deleted meanwhile does not report.
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

// EgressFirewalls in OpenShift 4.13: one central process applies the rules and reports the result in status.status with an
// update of the whole object (src/ovn/rules.md R134).

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
    // OpenShift 4.13 has no user-defined networks, so only nodes matter.
    const complaint = checkEgressFirewall(firewall, {
      nodes: (selector) => [...nodes.list()].filter(({ metadata }) => selector.matches(metadata.labels)),
      hasNamespace: () => true,
      lacksNetwork: () => false,
    });
    const status = complaint === undefined ? EGRESS_FIREWALL.success : NOT_ADDED;
    if (textAt(objectAt(firewall, "status"), "status") === status) return;
    // On a conflict the watch event of the newer object requeues it.
    await ignoring([404, 409], client.update(EGRESS_FIREWALL.resource, { ...firewall, status: { status } }));
  },
});

// The report of a zone about an object: the status fields that its field manager owns.

/** The status to apply for a zone; undefined if the object already has it. */
type ZoneReport = (zone: string, nowMs: number) => Record<string, unknown> | undefined;

/** Validates the object once for all zones; undefined if no zone reports. */
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
      // lastTransitionTime is shared by all zones: the time of the latest report.
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
      // As in upstream, observedGeneration is always 0.
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

/** lastTransitionTime changes only with the status of the condition. */
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
