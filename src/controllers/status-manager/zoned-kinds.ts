// The kinds whose status is put together from what every zone reports. A zone is a node; it reports either a message
// "<zone>: <text>" in status.messages, or a condition of type "Ready-In-Zone-<zone>" in status.conditions.

import type { ResourceName } from "../../client/client.ts";
import type { Informer } from "../../client/informer.ts";
import { type JsonObject, objectAt, objectsAt, textAt, textsAt } from "../../meta/json.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import { keyOfObject, ovn } from "../kit/api.ts";
import type { Keys } from "../kit/definition.ts";
import { PRIMARY_LABEL, parseConfig } from "../networks/net-conf.ts";

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
}

const applied = (what: string): Pick<ZonedKind, "success" | "failure" | "failureMark"> => ({
  success: `${what} applied`,
  failure: `${what} not correctly applied`,
  failureMark: `${what} not correctly applied`,
});

export const EGRESS_FIREWALL: ZonedKind = {
  kind: "EgressFirewall",
  resource: ovn("egressfirewalls"),
  reports: "messages",
  ...applied("EgressFirewall Rules"),
};

export const EGRESS_QOS: ZonedKind = {
  kind: "EgressQoS",
  resource: ovn("egressqoses"),
  reports: "conditions",
  ...applied("EgressQoS Rules"),
};

export const EXTERNAL_ROUTE: ZonedKind = {
  kind: "AdminPolicyBasedExternalRoute",
  resource: ovn("adminpolicybasedexternalroutes"),
  reports: "messages",
  success: "Success",
  failure: "Fail",
  failureMark: "failed to apply policy",
};

export const NETWORK_QOS: ZonedKind = {
  kind: "NetworkQoS",
  resource: ovn("networkqoses", "v1alpha1"),
  reports: "conditions",
  ...applied("NetworkQoS Destinations"),
};

export const ZONED_KINDS: readonly ZonedKind[] = [EGRESS_FIREWALL, EGRESS_QOS, EXTERNAL_ROUTE, NETWORK_QOS];

/** Objects of several kinds share a queue. */
export const zonedKey = ({ kind }: ZonedKind, object: KubeObject): string => `${kind}:${keyOfObject(object)}`;

/** The kind of a key, and the object's key in the informer of that kind. */
export function readZonedKey(key: string): [kind: ZonedKind | undefined, objectKey: string] {
  const colon = key.indexOf(":");
  return [ZONED_KINDS.find(({ kind }) => kind === key.slice(0, colon)), key.slice(colon + 1)];
}

/** Which objects of each kind; none of a kind that is left out. */
type Concerned = Readonly<Partial<Record<ZonedKindName, (object: KubeObject) => boolean>>>;

export const any = (): boolean => true;
export const ALL_ZONED: Concerned = Object.fromEntries(ZONED_KINDS.map(({ kind }) => [kind, any]));

export const isIn =
  (namespace: string | undefined) =>
  ({ metadata }: KubeObject): boolean =>
    metadata.namespace === namespace;

/** The keys of the objects that are concerned. */
export const zonedKeys = (informers: Readonly<Record<ZonedKindName, Informer>>, concerned: Concerned): Keys =>
  ZONED_KINDS.flatMap((kind) =>
    [...informers[kind.kind].list()]
      .filter((object) => concerned[kind.kind]?.(object))
      .map((object) => zonedKey(kind, object)),
  );

export const ZONE_CONDITION = "Ready-In-Zone-";

const statusOf = (object: KubeObject): JsonObject | undefined => objectAt(object, "status");

/** status.messages; empty when there are none. */
export const messagesOf = (object: KubeObject): readonly string[] => textsAt(statusOf(object), "messages");

/** status.conditions of any type; empty when there are none. */
export const conditionsOf = (object: KubeObject): readonly JsonObject[] =>
  objectsAt(statusOf(object), "conditions");

/** status.status; empty when there is none. */
export const summaryOf = (object: KubeObject): string => textAt(statusOf(object), "status");

/** What the zones report, each as "<zone>: <text>". */
export function reportsOf({ reports }: ZonedKind, object: KubeObject): readonly string[] {
  if (reports === "messages") return messagesOf(object);
  return conditionsOf(object)
    .map((condition) => [textAt(condition, "type"), textAt(condition, "message")] as const)
    .filter(([type]) => type.startsWith(ZONE_CONDITION))
    .map(([type, message]) => `${type.slice(ZONE_CONDITION.length)}: ${message}`);
}

/**
 * True if the namespace is labelled for a primary network of its own that does not exist. `attachments` are the
 * NetworkAttachmentDefinitions of the namespace.
 */
export const lacksNetwork = (namespace: KubeObject | undefined, attachments: Iterable<KubeObject>): boolean =>
  namespace?.metadata.labels?.[PRIMARY_LABEL] !== undefined &&
  ![...attachments].some((attachment) => parseConfig(attachment)?.["role"] === "primary");
