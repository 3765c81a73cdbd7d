// What a zone says about an object: the part of the status that it owns.
import { formatTime } from "../../meta/clock.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import { isGoing } from "../kit/api.ts";
import { Complaint, type Said } from "../kit/conditions.ts";
import { gatewaysOf } from "./external-route.ts";
import { checkEgressFirewall, checkEgressQos, checkNetworkQos, concernsNetwork } from "./rule-checks.ts";
import {
  conditionsOf,
  EGRESS_FIREWALL,
  EGRESS_QOS,
  messagesOf,
  ZONE_CONDITION,
  type ZonedKindName,
} from "./status-manager.ts";
import type { ZoneWorld } from "./zone-world.ts";

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
