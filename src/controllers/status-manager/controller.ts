// The status manager: sums up in status.status what the zones report, and takes out the reports of zones that are gone.
// It looks at an object when its reports or the nodes change, so that a status.status written by somebody else stays
// until then.

import { equalJson } from "../../meta/json.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import { ignoring, keyOfObject, keysIn, NADS, NAMESPACES, NODES } from "../kit/api.ts";
import { defineController } from "../kit/define-controller.ts";
import type { Keys, KitWith, Watch } from "../kit/definition.ts";
import { isNewest } from "../kit/settings.ts";
import { primaryNetworkOf } from "./primary-network.ts";
import { summarize } from "./summary.ts";
import {
  applyStatus,
  reportsOf,
  summaryOf,
  ZONED_KINDS,
  type ZonedKind,
  type ZonedKindName,
} from "./zoned-kinds.ts";

export interface StatusManagerOptions {
  /** Whether a node takes part in a primary network; all do unless something else is known. */
  readonly hasNetwork?: ((node: string, network: string) => boolean) | undefined;
}

/** The objects of a kind are watched under the kind's name, with their managedFields. */
const zonedWatches = Object.fromEntries(
  ZONED_KINDS.map((kind): [string, Watch<unknown>] => [
    kind.kind,
    {
      resource: kind.resource,
      list: { withoutManagedFields: false },
      on: ["add", "update"],
      facts: (object) => reportsOf(kind, object),
      toKeys: ({ object }) => [keyOf(kind, object)],
    },
  ]),
) as Record<ZonedKindName, Watch<unknown>>; // one for each kind

export const statusManager = ({ hasNetwork }: StatusManagerOptions = {}) =>
  defineController({
    name: "status-manager",
    summary: "sums up in status.status what the zones report",
    fieldManager: "cluster-manager",
    isWanted: isNewest,
    watches: {
      nodes: { resource: NODES, on: ["add", "delete"], toKeys: (_, kit) => keysOf(kit) },
      namespaces: {
        resource: NAMESPACES,
        on: ["add", "update"],
        facts: ({ metadata }) => metadata.labels,
        toKeys: ({ object }, kit) => keysOf(kit, object.metadata.name),
      },
      attachments: {
        resource: NADS,
        toKeys: ({ object }, kit) => keysOf(kit, object.metadata.namespace),
      },
      ...zonedWatches,
    },
    async reconcile(key, kit) {
      const colon = key.indexOf(":");
      const kind = ZONED_KINDS.find((candidate) => candidate.kind === key.slice(0, colon));
      const object = kind && kit[kind.kind].get(key.slice(colon + 1));
      if (kind && object) await settle(kit, kind, object, { hasNetwork });
    },
  });

type Zoned = KitWith<"nodes" | "namespaces" | "attachments" | ZonedKindName>;

const keyOf = ({ kind }: ZonedKind, object: KubeObject): string => `${kind}:${keyOfObject(object)}`;

/** Of all objects, or of those in the namespace whose network counts. */
function keysOf(kit: Zoned, namespace?: string): Keys {
  const kinds = ZONED_KINDS.filter(({ perNetwork }) => namespace === undefined || perNetwork);
  return kinds.flatMap((kind) => {
    const objects = [...kit[kind.kind].list()].filter(
      ({ metadata }) => namespace === undefined || metadata.namespace === namespace,
    );
    return objects.map((object) => keyOf(kind, object));
  });
}

async function settle(
  kit: Zoned,
  kind: ZonedKind,
  object: KubeObject,
  options: StatusManagerOptions,
): Promise<void> {
  const zones = zonesOf(kit, kind, object, options);
  const summary = zones && summarize(kind, object, zones);
  if (!summary) return;
  if (summary.type === "stale") {
    for (const zone of summary.zones) {
      if (!ownsStatus(object, zone) || (await isNew(kit, zone))) continue;
      await applyStatus(kit.clientFor(zone), kind, object, {});
    }
  } else if (summary.text !== summaryOf(object)) {
    const status = summary.text === "" ? {} : { status: summary.text };
    const written = await applyStatus(kit.client, kind, object, { status });
    // A report may have come in before this was written, and nobody will come back to it for the sum alone.
    if (written && !equalJson(reportsOf(kind, object), reportsOf(kind, written)))
      await settle(kit, kind, written, options);
  }
}

/** The nodes that are to report; undefined while that cannot be told. */
function zonesOf(
  { nodes, namespaces, attachments }: Zoned,
  { perNetwork }: ZonedKind,
  { metadata: { namespace = "" } }: KubeObject,
  { hasNetwork }: StatusManagerOptions,
): Set<string> | undefined {
  const zones = keysIn(nodes);
  if (!perNetwork) return new Set(zones);
  const there = [...attachments.list()].filter(({ metadata }) => metadata.namespace === namespace);
  const primary = primaryNetworkOf(namespaces.get(namespace), there);
  if (primary.type === "missing") return undefined;
  if (primary.type === "cluster" || !hasNetwork) return new Set(zones);
  return new Set(zones.filter((zone) => hasNetwork(zone, primary.network)));
}

/** True for a node that has reported before word of it came here. */
async function isNew({ nodes, client }: Zoned, zone: string): Promise<boolean> {
  if (nodes.get(zone)) return false;
  return (await ignoring([404], client.get(NODES, { namespace: "", name: zone }))) !== undefined;
}
/** True if the manager has applied anything to the status: otherwise an empty apply in its name changes nothing. */
function ownsStatus({ metadata }: KubeObject, manager: string): boolean {
  return (metadata.managedFields ?? []).some(
    (entry) => entry.manager === manager && entry.operation === "Apply" && entry.subresource === "status",
  );
}
