// The status manager: aggregates zone reports into status.status, and removes reports of deleted zones
// (src/ovn/rules.md R121). It reconciles an object when its reports or the nodes change, so a status.status written by a
// user stays until then.

import {
  equalJson,
  type JsonObject,
  objectAt,
  objectsAt,
  textAt,
  textsAt,
} from "../../../apimachinery/json/json.ts";
import type { KubeObject } from "../../../apimachinery/meta/object-meta.ts";
import { ignoring, keyOfObject, keysIn, NADS, NAMESPACES, NODES, ovn } from "../../../controller/api.ts";
import type { ResourceName } from "../../../controller/client.ts";
import { applyStatus } from "../../../controller/conditions.ts";
import { defineController } from "../../../controller/define-controller.ts";
import type { Keys, KitWith, Watch } from "../../../controller/definition.ts";
import type { Informer } from "../../../controller/informer.ts";
import { isNewest } from "../../../controller/settings.ts";
import { PRIMARY_LABEL, parseConfig } from "../networks/net-conf.ts";

// The kinds with a status from every zone. A zone is a node; it reports either a message "<zone>: <text>" in
// status.messages, or a condition of type "Ready-In-Zone-<zone>" in status.conditions.

export type ZonedKindName = "EgressFirewall" | "EgressQoS" | "AdminPolicyBasedExternalRoute" | "NetworkQoS";

export interface ZonedKind {
  readonly kind: ZonedKindName;
  readonly resource: ResourceName;
  readonly reports: "messages" | "conditions";
  /** status.status after all zones have reported success. */
  readonly success: string;
  /** status.status as soon as one zone reports a failure. */
  readonly failure: string;
  /** Text that marks a failed report; default: `failure`. Any other text counts as success. */
  readonly failureMark?: string;
}

const applied = (what: string) => ({
  success: `${what} applied`,
  failure: `${what} not correctly applied`,
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

/** Key in the work queue, which several kinds share. */
export const zonedKey = ({ kind }: ZonedKind, object: KubeObject): string => `${kind}:${keyOfObject(object)}`;

/** The kind of a key, and the object's key in the informer of that kind. */
export function readZonedKey(key: string): [kind: ZonedKind | undefined, objectKey: string] {
  const colon = key.indexOf(":");
  return [ZONED_KINDS.find(({ kind }) => kind === key.slice(0, colon)), key.slice(colon + 1)];
}

/** Predicates by kind; no objects of absent kinds. */
type Concerned = Readonly<Partial<Record<ZonedKindName, (object: KubeObject) => boolean>>>;

export const any = (): boolean => true;
export const ALL_ZONED: Concerned = Object.fromEntries(ZONED_KINDS.map(({ kind }) => [kind, any]));

export const isIn =
  (namespace: string | undefined) =>
  ({ metadata }: KubeObject): boolean =>
    metadata.namespace === namespace;

/** Keys of the objects that match the predicates. */
export const zonedKeys = (informers: Readonly<Record<ZonedKindName, Informer>>, concerned: Concerned): Keys =>
  ZONED_KINDS.flatMap((kind) =>
    [...informers[kind.kind].list()]
      .filter((object) => concerned[kind.kind]?.(object))
      .map((object) => zonedKey(kind, object)),
  );

export const ZONE_CONDITION = "Ready-In-Zone-";

const statusOf = (object: KubeObject): JsonObject | undefined => objectAt(object, "status");

/** status.messages; empty if absent. */
export const messagesOf = (object: KubeObject): readonly string[] => textsAt(statusOf(object), "messages");

/** status.conditions of all types; empty if absent. */
export const conditionsOf = (object: KubeObject): readonly JsonObject[] =>
  objectsAt(statusOf(object), "conditions");

/** status.status; "" if absent. */
export const summaryOf = (object: KubeObject): string => textAt(statusOf(object), "status");

/** Zone reports, each as "<zone>: <text>". */
export function reportsOf({ reports }: ZonedKind, object: KubeObject): readonly string[] {
  if (reports === "messages") return messagesOf(object);
  return conditionsOf(object)
    .map((condition) => [textAt(condition, "type"), textAt(condition, "message")] as const)
    .filter(([type]) => type.startsWith(ZONE_CONDITION))
    .map(([type, message]) => `${type.slice(ZONE_CONDITION.length)}: ${message}`);
}

/**
 * Reports whether the namespace is labelled for a primary user-defined network that does not exist. `attachments` are its
 * NetworkAttachmentDefinitions.
 */
export const lacksNetwork = (namespace: KubeObject | undefined, attachments: Iterable<KubeObject>): boolean =>
  namespace?.metadata.labels?.[PRIMARY_LABEL] !== undefined &&
  ![...attachments].some((attachment) => parseConfig(attachment)?.["role"] === "primary");

/** Watches of zoned kinds, named by kind. They include managedFields, which show a zone's ownership. */
const zonedWatches = Object.fromEntries(
  ZONED_KINDS.map((kind): [string, Watch<unknown>] => [
    kind.kind,
    {
      resource: kind.resource,
      list: { withoutManagedFields: false },
      on: ["add", "update"],
      facts: (object) => reportsOf(kind, object),
      toKeys: ({ object }) => [zonedKey(kind, object)],
    },
  ]),
) as Record<ZonedKindName, Watch<unknown>>; // one for each kind

export const statusManager = defineController({
  name: "status-manager",
  summary: "sums up in status.status what the zones report",
  fieldManager: "cluster-manager",
  isWanted: isNewest,
  watches: {
    nodes: { resource: NODES, on: ["add", "delete"], toKeys: (_, kit) => zonedKeys(kit, ALL_ZONED) },
    namespaces: {
      resource: NAMESPACES,
      on: ["add", "update"],
      facts: ({ metadata }) => metadata.labels,
      toKeys: ({ object }, kit) => zonedKeys(kit, { EgressFirewall: isIn(object.metadata.name) }),
    },
    attachments: {
      resource: NADS,
      toKeys: ({ object }, kit) => zonedKeys(kit, { EgressFirewall: isIn(object.metadata.namespace) }),
    },
    ...zonedWatches,
  },
  async reconcile(key, kit) {
    const [kind, objectKey] = readZonedKey(key);
    const object = kind && kit[kind.kind].get(objectKey);
    if (kind && object) await settle(kit, kind, object);
  },
});

type Zoned = KitWith<"nodes" | "namespaces" | "attachments" | ZonedKindName>;

async function settle(kit: Zoned, kind: ZonedKind, object: KubeObject): Promise<void> {
  const zones = zonesOf(kit, kind, object);
  if (zones.size === 0) return; // as in upstream, without nodes nothing is aggregated
  const reports = reportsOf(kind, object);
  const stale = new Set(reports.map(zoneOf).filter((zone) => !zones.has(zone)));
  for (const zone of [...stale].sort()) {
    if (!ownsStatus(object, zone) || (await isNew(kit, zone))) continue;
    await applyStatus(kit.clientFor(zone), kind.resource, object, {});
  }
  if (stale.size > 0) return; // no aggregation while stale reports exist
  const summary = summaryFor(kind, object, zones.size);
  if (summary === summaryOf(object)) return;
  const status = summary === "" ? {} : { status: summary };
  const written = await applyStatus(kit.client, kind.resource, object, { status });
  // Reports may have changed before this write. The write itself does not requeue the object, so check again.
  if (written && !equalJson(reports, reportsOf(kind, written))) await settle(kit, kind, written);
}

const zoneOf = (report: string): string => report.split(":", 1)[0] ?? "";

/** The aggregated status.status; "" until every zone has reported (src/ovn/rules.md R121). */
function summaryFor(kind: ZonedKind, object: KubeObject, zones: number): string {
  const reports = reportsOf(kind, object);
  // As in upstream, conditions of other types are also searched for the failure text.
  const texts =
    kind.reports === "messages" ? reports : conditionsOf(object).map((item) => textAt(item, "message"));
  if (texts.some((text) => text.includes(kind.failureMark ?? kind.failure))) return kind.failure;
  // As in upstream, reports are counted, not zones: two reports of one zone count twice.
  return reports.length < zones ? "" : kind.success;
}

/** The nodes that must report; empty if the namespace's primary network of an EgressFirewall does not exist. */
function zonesOf(
  { nodes, namespaces, attachments }: Zoned,
  kind: ZonedKind,
  object: KubeObject,
): Set<string> {
  const { namespace = "" } = object.metadata;
  const isMissing =
    kind === EGRESS_FIREWALL &&
    lacksNetwork(namespaces.get(namespace), [...attachments.list()].filter(isIn(namespace)));
  return new Set(isMissing ? [] : keysIn(nodes));
}

/** Reports whether the node exists in the API, but not in the informer yet. */
async function isNew({ nodes, client }: Zoned, zone: string): Promise<boolean> {
  if (nodes.get(zone)) return false;
  return (await ignoring([404], client.get(NODES, { namespace: "", name: zone }))) !== undefined;
}

/** Reports whether the field manager owns status fields; otherwise an empty apply changes nothing. */
const ownsStatus = ({ metadata }: KubeObject, zone: string): boolean =>
  (metadata.managedFields ?? []).some(
    ({ manager, operation, subresource }) =>
      manager === zone && operation === "Apply" && subresource === "status",
  );
