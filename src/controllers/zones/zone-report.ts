// What a zone says about an object: the part of the status that it owns.
import { formatTime } from "../../meta/clock.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import { isGoing } from "../kit/api.ts";
import {
  conditionsOf,
  messagesOf,
  ZONE_CONDITION,
  type ZonedKindName,
} from "../status-manager/zoned-kinds.ts";
import { Complaint } from "./complaint.ts";
import { checkEgressFirewall, type EgressFirewallOptions } from "./egress-firewall.ts";
import { checkEgressQos } from "./egress-qos.ts";
import { gatewaysOf } from "./external-route.ts";
import { checkNetworkQos, concernsNetwork } from "./network-qos.ts";
import type { ZoneWorld } from "./zone-world.ts";

/** The status to apply in the name of a zone; undefined if the object says so already. */
export type ZoneReport = (zone: string, nowMs: number) => Record<string, unknown> | undefined;

/** Looks at the object once for all zones; undefined if no zone has anything to say. */
export function reportOn(
  kind: ZonedKindName,
  object: KubeObject,
  world: ZoneWorld,
  options: EgressFirewallOptions,
): ZoneReport | undefined {
  if (isGoing(object)) return undefined;
  switch (kind) {
    case "EgressFirewall": {
      const complaint = checkEgressFirewall(object, world, options);
      const text =
        complaint === undefined
          ? "EgressFirewall Rules applied"
          : `EgressFirewall Rules not correctly applied: ${complaint}`;
      return message(object, () => text);
    }
    case "AdminPolicyBasedExternalRoute":
      return withTime(message(object, routeText(object, world)));
    case "EgressQoS": {
      const complaint = checkEgressQos(object);
      return complaint === undefined
        ? condition(object, "True", "SetupSucceeded", "EgressQoS Rules applied")
        : condition(object, "False", "SetupFailed", `EgressQoS Rules not correctly applied: ${complaint}`);
    }
    case "NetworkQoS": {
      if (!concernsNetwork(object, world)) return undefined;
      const complaint = checkNetworkQos(object);
      return withGeneration(
        complaint === undefined
          ? condition(object, "True", "Success", "NetworkQoS was applied successfully")
          : condition(object, "False", "Failed", complaint),
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
function condition(object: KubeObject, status: "True" | "False", reason: string, text: string): ZoneReport {
  const there = new Map(conditionsOf(object).map((known) => [known.type, known]));
  return (zone, nowMs) => {
    const type = ZONE_CONDITION + zone;
    const known = there.get(type);
    if (known?.status === status && known.reason === reason && known.message === text) return undefined;
    const lastTransitionTime = known?.status === status ? known.lastTransitionTime : formatTime(nowMs);
    return { conditions: [{ type, status, reason, message: text, lastTransitionTime }] };
  };
}

/** The time of the last report of any zone. */
function withTime(report: ZoneReport): ZoneReport {
  return (zone, nowMs) => {
    const status = report(zone, nowMs);
    return status && { ...status, lastTransitionTime: formatTime(nowMs) };
  };
}

/** The agents send this one with every condition of a NetworkQoS, and never another value. */
function withGeneration(report: ZoneReport): ZoneReport {
  return (zone, nowMs) => {
    const status = report(zone, nowMs);
    const conditions = status?.["conditions"];
    if (!Array.isArray(conditions)) return status;
    return { conditions: conditions.map((item) => ({ ...item, observedGeneration: 0 })) };
  };
}
