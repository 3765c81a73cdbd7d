// What a zone says about an object: the part of the status that it owns.
import { formatTime } from "../../meta/clock.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import { isGoing } from "../kit/api.ts";
import {
  conditionsOf,
  EGRESS_FIREWALL,
  EGRESS_QOS,
  messagesOf,
  ZONE_CONDITION,
  type ZonedKindName,
} from "../status-manager/zoned-kinds.ts";
import { Complaint } from "./complaint.ts";
import { gatewaysOf } from "./external-route.ts";
import {
  checkEgressFirewall,
  checkEgressQos,
  checkNetworkQos,
  concernsNetwork,
  type EgressFirewallOptions,
} from "./rule-checks.ts";
import type { ZoneWorld } from "./zone-world.ts";

/** The status to apply in the name of a zone; undefined if the object says so already. */
type ZoneReport = (zone: string, nowMs: number) => Record<string, unknown> | undefined;

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
      const { success, failure } = EGRESS_FIREWALL;
      const complaint = checkEgressFirewall(object, world, options);
      const text = complaint === undefined ? success : `${failure}: ${complaint}`;
      return message(object, () => text);
    }
    case "AdminPolicyBasedExternalRoute":
      return withTime(message(object, routeText(object, world)));
    case "EgressQoS": {
      const { success, failure } = EGRESS_QOS;
      const complaint = checkEgressQos(object);
      return complaint === undefined
        ? condition(object, { status: "True", reason: "SetupSucceeded", message: success })
        : condition(object, { status: "False", reason: "SetupFailed", message: `${failure}: ${complaint}` });
    }
    case "NetworkQoS": {
      if (!concernsNetwork(object, world)) return undefined;
      const complaint = checkNetworkQos(object);
      const done = {
        status: "True",
        reason: "Success",
        message: "NetworkQoS was applied successfully",
      } as const;
      const failed = { status: "False", reason: "Failed", message: complaint ?? "" } as const;
      // The agents send this generation with every condition, and never another value.
      return condition(object, complaint === undefined ? done : failed, { observedGeneration: 0 });
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

interface Said {
  readonly status: "True" | "False";
  readonly reason: string;
  readonly message: string;
}

/** A condition keeps its time until its status changes. */
function condition(object: KubeObject, said: Said, more: object = {}): ZoneReport {
  const there = new Map(conditionsOf(object).map((known) => [known["type"], known]));
  return (zone, nowMs) => {
    const type = ZONE_CONDITION + zone;
    const known = there.get(type);
    const isSameStatus = known?.["status"] === said.status;
    if (isSameStatus && known?.["reason"] === said.reason && known["message"] === said.message)
      return undefined;
    const lastTransitionTime = isSameStatus ? known?.["lastTransitionTime"] : formatTime(nowMs);
    return { conditions: [{ type, ...said, lastTransitionTime, ...more }] };
  };
}

/** The time of the last report of any zone. */
function withTime(report: ZoneReport): ZoneReport {
  return (zone, nowMs) => {
    const status = report(zone, nowMs);
    return status && { ...status, lastTransitionTime: formatTime(nowMs) };
  };
}
