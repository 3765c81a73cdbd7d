// Plays the agents on the nodes for the kinds whose rules they put into force: every node is a zone, and says in its
// own name what it makes of each object. Nothing is put into force; the outcome is that of the checks.

import type { ResourceName } from "../../client/client.ts";
import { isObject, objectAt } from "../../meta/json.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import { keyOfObject, keysIn, NADS } from "../kit/api.ts";
import { defineController } from "../kit/define-controller.ts";
import type { Keys, KitWith, Watch, World } from "../kit/definition.ts";
import { isNewest } from "../kit/settings.ts";
import {
  applyStatus,
  EGRESS_FIREWALL,
  EGRESS_QOS,
  EXTERNAL_ROUTE,
  NETWORK_QOS,
  type ZonedKind,
  type ZonedKindName,
} from "../status-manager/zoned-kinds.ts";
import { selectsNodes } from "./egress-firewall.ts";
import { InformerWorld } from "./informer-world.ts";
import { reportOn } from "./zone-report.ts";

const core = (resource: string): { resource: ResourceName } => ({
  resource: { group: "", version: "v1", resource },
});
const KINDS = [EGRESS_FIREWALL, EGRESS_QOS, NETWORK_QOS, EXTERNAL_ROUTE];

export interface ZonesOptions {
  /** Whether a node takes part in a primary network; all do unless something else is known. */
  readonly hasNetwork?: ((node: string, network: string) => boolean) | undefined;
  /** Names in firewalls are resolved by DNSNameResolver objects. */
  readonly dnsNameResolver?: boolean;
}

/** The objects of a kind are watched under the kind's name. */
type Names = "nodes" | "namespaces" | "pods" | "attachments" | ZonedKindName;
type Zones = World<Names, InformerWorld>;

const zoned = (kind: ZonedKind): Watch<Zones> => ({
  resource: kind.resource,
  on: ["add", "update"],
  toKeys: ({ object }) => [keyOf(kind, object)],
});

export const zones = (options: ZonesOptions = {}) =>
  defineController({
    name: "zones",
    summary: "every node is a zone and reports on firewalls, QoS and external routes",
    fieldManager: "ovnkube-node",
    isWanted: (settings) => settings.zones === "internal" && isNewest(settings),
    memory: (kit: KitWith<Names>) => new InformerWorld(kit),
    watches: {
      nodes: {
        ...core("nodes"),
        facts: ({ metadata }) => [metadata.labels, metadata.annotations],
        toKeys: ({ type }, world) =>
          keysOf(
            world,
            (kind, object) => type === "add" || (kind === EGRESS_FIREWALL && selectsNodes(object)),
          ),
      },
      namespaces: {
        ...core("namespaces"),
        facts: ({ metadata }) => metadata.labels,
        toKeys: ({ object }, world) =>
          keysOf(
            world,
            (kind, { metadata }) =>
              kind === EXTERNAL_ROUTE ||
              kind === NETWORK_QOS ||
              (kind === EGRESS_FIREWALL && metadata.namespace === object.metadata.name),
          ),
      },
      pods: {
        ...core("pods"),
        take: (change, { memory }) => memory.takePod(change),
        toKeys: (_, world) => keysOf(world, (kind, object) => kind === EXTERNAL_ROUTE && selectsPods(object)),
      },
      attachments: {
        resource: NADS,
        take: (change, { memory }) => memory.takeAttachment(change),
        toKeys: ({ object }, world) =>
          keysOf(
            world,
            (kind, { metadata }) =>
              kind === NETWORK_QOS ||
              (kind === EGRESS_FIREWALL && metadata.namespace === object.metadata.namespace),
          ),
      },
      EgressFirewall: zoned(EGRESS_FIREWALL),
      EgressQoS: zoned(EGRESS_QOS),
      NetworkQoS: zoned(NETWORK_QOS),
      AdminPolicyBasedExternalRoute: {
        resource: EXTERNAL_ROUTE.resource,
        // Which of two has a namespace depends on both, but not on what zones report.
        toKeys: ({ object, old }, world) =>
          old && isSameAsked(old, object)
            ? [keyOf(EXTERNAL_ROUTE, object)]
            : keysOf(world, (kind) => kind === EXTERNAL_ROUTE),
      },
    },
    async reconcile(key, world) {
      const kind = KINDS.find((candidate) => key.startsWith(`${candidate.kind}:`));
      const object = kind && world[kind.kind].get(key.slice(kind.kind.length + 1));
      if (!kind || !object) return;
      const { nodes, clock, clientFor, memory, signal } = world;
      const { hasNetwork, dnsNameResolver = false } = options;
      const report = reportOn(kind.kind, object, memory, { dnsNameResolver });
      if (!report) return;
      for (const zone of zonesOf(world, kind, { object, hasNetwork })) {
        const status = report(zone, clock.now());
        // A node that has gone in the meantime says nothing any more.
        if (!status || !nodes.get(zone) || signal.aborted) continue;
        await applyStatus(clientFor(zone), kind, object, { status });
      }
    },
  });

/** The keys of the objects that are concerned. */
const keysOf = (world: Zones, isConcerned: (kind: ZonedKind, object: KubeObject) => boolean): Keys =>
  KINDS.flatMap((kind) => {
    const objects = [...world[kind.kind].list()].filter((object) => isConcerned(kind, object));
    return objects.map((object) => keyOf(kind, object));
  });

const keyOf = ({ kind }: ZonedKind, object: KubeObject): string => `${kind}:${keyOfObject(object)}`;

/** The nodes that have the object's network, by name. */
function zonesOf(
  { nodes, memory }: Zones,
  { perNetwork }: ZonedKind,
  { object, hasNetwork }: Pick<ZonesOptions, "hasNetwork"> & { readonly object: KubeObject },
): string[] {
  const zones = keysIn(nodes);
  const primary = perNetwork ? memory.primaryNetwork(object.metadata.namespace ?? "") : undefined;
  if (!hasNetwork || primary?.type !== "own") return zones;
  return zones.filter((zone) => hasNetwork(zone, primary.network));
}

function selectsPods({ spec }: KubeObject): boolean {
  const dynamic = objectAt(isObject(spec) ? spec : undefined, "nextHops")?.["dynamic"];
  return Array.isArray(dynamic) && dynamic.length > 0;
}

const isSameAsked = (old: KubeObject, object: KubeObject): boolean =>
  old.metadata.generation === object.metadata.generation &&
  old.metadata.deletionTimestamp === object.metadata.deletionTimestamp;
