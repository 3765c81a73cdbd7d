// The kinds whose status is put together from what every zone reports. A zone is a node; it reports either a message
// "<zone>: <text>" in status.messages, or a condition of type "Ready-In-Zone-<zone>" in status.conditions.

import type { Client, ResourceName } from "../../client/client.ts";
import { isObject } from "../../meta/json.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import { ignoring, ovn } from "../kit/api.ts";

export type ZonedKindName = "EgressFirewall" | "EgressQoS" | "AdminPolicyBasedExternalRoute" | "NetworkQoS";

export interface ZonedKind {
  readonly kind: ZonedKindName;
  readonly resource: ResourceName;
  readonly reports: "messages" | "conditions";
  /** status.status once all zones have reported and none failed. */
  readonly success: string;
  /** status.status as soon as a zone has failed. */
  readonly failure: string;
  /** What makes a report a failure; any other text is a success. */
  readonly failureMark: string;
  /** Only the nodes that have the primary network of the namespace report. */
  readonly perNetwork: boolean;
}

export const EGRESS_FIREWALL: ZonedKind = {
  kind: "EgressFirewall",
  resource: ovn("egressfirewalls"),
  reports: "messages",
  success: "EgressFirewall Rules applied",
  failure: "EgressFirewall Rules not correctly applied",
  failureMark: "EgressFirewall Rules not correctly applied",
  perNetwork: true,
};

export const EGRESS_QOS: ZonedKind = {
  kind: "EgressQoS",
  resource: ovn("egressqoses"),
  reports: "conditions",
  success: "EgressQoS Rules applied",
  failure: "EgressQoS Rules not correctly applied",
  failureMark: "EgressQoS Rules not correctly applied",
  perNetwork: false,
};

export const EXTERNAL_ROUTE: ZonedKind = {
  kind: "AdminPolicyBasedExternalRoute",
  resource: ovn("adminpolicybasedexternalroutes"),
  reports: "messages",
  success: "Success",
  failure: "Fail",
  failureMark: "failed to apply policy",
  perNetwork: false,
};

export const NETWORK_QOS: ZonedKind = {
  kind: "NetworkQoS",
  resource: ovn("networkqoses", "v1alpha1"),
  reports: "conditions",
  success: "NetworkQoS Destinations applied",
  failure: "NetworkQoS Destinations not correctly applied",
  failureMark: "NetworkQoS Destinations not correctly applied",
  perNetwork: false,
};

export const ZONED_KINDS: readonly ZonedKind[] = [EGRESS_FIREWALL, EGRESS_QOS, EXTERNAL_ROUTE, NETWORK_QOS];

export const ZONE_CONDITION = "Ready-In-Zone-";

/** A condition as far as it says what a zone reports. */
export interface ZoneCondition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
  readonly lastTransitionTime: string;
}

const statusOf = (object: KubeObject): Record<string, unknown> =>
  isObject(object["status"]) ? object["status"] : {};

/** status.messages; empty when there are none. */
export function messagesOf(object: KubeObject): readonly string[] {
  const { messages } = statusOf(object) as { messages?: unknown }; // an open type: members may be anything
  return Array.isArray(messages) ? messages.map(String) : [];
}

/** status.conditions of any type; empty when there are none. */
export function conditionsOf(object: KubeObject): readonly ZoneCondition[] {
  const { conditions } = statusOf(object) as { conditions?: unknown }; // an open type: members may be anything
  return (Array.isArray(conditions) ? conditions : []).filter(isObject).map((condition) => ({
    type: String(condition["type"] ?? ""),
    status: String(condition["status"] ?? ""),
    reason: String(condition["reason"] ?? ""),
    message: String(condition["message"] ?? ""),
    lastTransitionTime: String(condition["lastTransitionTime"] ?? ""),
  }));
}

/** status.status; empty when there is none. */
export const summaryOf = (object: KubeObject): string => String(statusOf(object)["status"] ?? "");

/** What the zones report, each as "<zone>: <text>". */
export function reportsOf({ reports }: ZonedKind, object: KubeObject): readonly string[] {
  if (reports === "messages") return messagesOf(object);
  return conditionsOf(object)
    .filter(({ type }) => type.startsWith(ZONE_CONDITION))
    .map(({ type, message }) => `${type.slice(ZONE_CONDITION.length)}: ${message}`);
}

/**
 * Applies to /status in the client's name; what it had applied before and leaves out now is taken away. Undefined: the object
 * has gone.
 */
export async function applyStatus(
  client: Client,
  { kind, resource }: ZonedKind,
  { metadata }: KubeObject,
  content: { readonly status?: unknown },
): Promise<KubeObject | undefined> {
  const { namespace = "", name = "" } = metadata;
  const apiVersion = `${resource.group}/${resource.version}`;
  const body = { apiVersion, kind, metadata: { name, ...(namespace ? { namespace } : {}) }, ...content };
  const options = { type: "apply", subresource: "status", force: true, body } as const;
  return await ignoring([404], client.patch(resource, { namespace, name }, options));
}
