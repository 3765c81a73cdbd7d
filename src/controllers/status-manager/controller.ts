// The status manager: sums up in status.status what the zones report, and takes out the reports of zones that are gone.
// It looks at an object when its reports or the nodes change, so that a status.status written by somebody else stays
// until then.
import { equalJson, textAt } from "../../meta/json.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import { ignoring, keysIn, NADS, NAMESPACES, NODES } from "../kit/api.ts";
import { applyStatus } from "../kit/conditions.ts";
import { defineController } from "../kit/define-controller.ts";
import type { KitWith, Watch } from "../kit/definition.ts";
import { isNewest } from "../kit/settings.ts";
import {
  ALL_ZONED,
  conditionsOf,
  EGRESS_FIREWALL,
  isIn,
  lacksNetwork,
  readZonedKey,
  reportsOf,
  summaryOf,
  ZONED_KINDS,
  type ZonedKind,
  type ZonedKindName,
  zonedKey,
  zonedKeys,
} from "./zoned-kinds.ts";

/** The objects of a kind are watched under the kind's name, with their managedFields. */
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
  if (zones.size === 0) return; // then nothing is known of anything
  const reports = reportsOf(kind, object);
  const stale = new Set(reports.map(zoneOf).filter((zone) => !zones.has(zone)));
  for (const zone of [...stale].sort()) {
    if (!ownsStatus(object, zone) || (await isNew(kit, zone))) continue;
    await applyStatus(kit.clientFor(zone), kind.resource, object, {});
  }
  if (stale.size > 0) return; // nothing is summed up while there are any
  const summary = summaryFor(kind, object, zones.size);
  if (summary === summaryOf(object)) return;
  const status = summary === "" ? {} : { status: summary };
  const written = await applyStatus(kit.client, kind.resource, object, { status });
  // A report may have come in before this was written, and nobody will come back to it for the sum alone.
  if (written && !equalJson(reports, reportsOf(kind, written))) await settle(kit, kind, written);
}

const zoneOf = (report: string): string => report.split(":", 1)[0] ?? "";

/** What status.status has to say; "" while not every zone has reported. */
function summaryFor(kind: ZonedKind, object: KubeObject, zones: number): string {
  const reports = reportsOf(kind, object);
  // A failure is looked for in conditions that no zone has written as well.
  const texts =
    kind.reports === "messages" ? reports : conditionsOf(object).map((item) => textAt(item, "message"));
  if (texts.some((text) => text.includes(kind.failureMark))) return kind.failure;
  // Reports are counted, not zones: two of one zone stand for two.
  return reports.length < zones ? "" : kind.success;
}

/** The nodes that are to report; none while that cannot be told: rules are for a network that is missing. */
function zonesOf(
  { nodes, namespaces, attachments }: Zoned,
  kind: ZonedKind,
  object: KubeObject,
): Set<string> {
  const { namespace = "" } = object.metadata;
  const there = [...attachments.list()].filter(isIn(namespace));
  const isMissing = kind === EGRESS_FIREWALL && lacksNetwork(namespaces.get(namespace), there);
  return new Set(isMissing ? [] : keysIn(nodes));
}

/** True for a node that has reported before word of it came here. */
async function isNew({ nodes, client }: Zoned, zone: string): Promise<boolean> {
  if (nodes.get(zone)) return false;
  return (await ignoring([404], client.get(NODES, { namespace: "", name: zone }))) !== undefined;
}

/** True if the manager has applied anything to the status: otherwise an empty apply in its name changes nothing. */
const ownsStatus = ({ metadata }: KubeObject, zone: string): boolean =>
  (metadata.managedFields ?? []).some(
    ({ manager, operation, subresource }) =>
      manager === zone && operation === "Apply" && subresource === "status",
  );
