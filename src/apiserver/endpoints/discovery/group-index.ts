// The served definitions, indexed by group and version: the input of discovery and OpenAPI documents.

import { lookupTable } from "../../../apimachinery/json/json.ts";
import { groupedBy, sameItems } from "../../../apimachinery/meta/lists.ts";
import { memoize } from "../../../apimachinery/meta/memoize.ts";
import { joinApiVersion } from "../../../apimachinery/meta/object-meta.ts";
import type { ResourceDefinition, ResourceView } from "../../registry/definition/resource-definition.ts";

export interface VersionEntry {
  readonly group: string;
  readonly version: string;
  /** "k8s.ovn.org/v1", or "v1" in the core group. */
  readonly groupVersion: string;
  /** Whether all of its resources come from CustomResourceDefinitions. */
  readonly custom: boolean;
  /** Sorted by resource name. */
  readonly views: readonly ResourceView[];
}

export interface GroupEntry {
  readonly name: string;
  /** Whether all of its resources come from CustomResourceDefinitions. */
  readonly custom: boolean;
  /** In the order of preference. */
  readonly versions: readonly VersionEntry[];
}

export interface GroupIndex {
  /** The core group has the name "". */
  readonly groups: ReadonlyMap<string, GroupEntry>;
  find(group: string, version: string): VersionEntry | undefined;
}

/** The index of a list of definitions, cached by the identity of the list. */
export const groupIndexOf = memoize((definitions: readonly ResourceDefinition[]): GroupIndex => {
  const served = definitions.filter((definition) => definition.versions.some((version) => version.served));
  const byGroup = groupedBy(served, (definition) => definition.group);
  const groups = new Map([...byGroup].map(([name, own]) => [name, entryOf(name, own)]));
  return {
    groups,
    find: (group, version) => groups.get(group)?.versions.find((entry) => entry.version === version),
  };
});

/** The last entry of each group, by its first definition: a change of one group does not rebuild the others. */
const lastEntries = new WeakMap<
  ResourceDefinition,
  { readonly entry: GroupEntry; readonly of: Definitions }
>();

type Definitions = readonly ResourceDefinition[];

function entryOf(name: string, definitions: Definitions): GroupEntry {
  const [first] = definitions;
  const last = first && lastEntries.get(first);
  if (last !== undefined && sameItems(last.of, definitions)) return last.entry;
  const views = definitions.flatMap((definition) =>
    definition.versions.filter(({ served }) => served).map((version) => ({ definition, version })),
  );
  const entry = groupEntry(name, views);
  if (first !== undefined) lastEntries.set(first, { entry, of: definitions });
  return entry;
}

function groupEntry(name: string, all: readonly ResourceView[]): GroupEntry {
  const versions = [...groupedBy(all, ({ version }) => version.name)].map(([version, views]) => ({
    group: name,
    version,
    groupVersion: joinApiVersion(name, version),
    custom: views.every((view) => view.definition.custom),
    views: views.sort((a, b) => compareText(a.definition.resource, b.definition.resource)),
  }));
  versions.sort((a, b) => compareVersions(a.version, b.version));
  return { name, custom: versions.every((entry) => entry.custom), versions };
}

/** Groups in the order of /apis: by priority, then by the name of their first version ("v1.apps"). */
export const groupsByService = (index: GroupIndex): readonly GroupEntry[] =>
  sortGroups(
    index,
    ({ name, versions }) => versions.map(({ version }) => `${version}.${name}`).sort()[0] ?? "",
  );

/** Groups in the order of aggregated discovery: by priority, then by name. */
export const groupsByName = (index: GroupIndex): readonly GroupEntry[] =>
  sortGroups(index, (group) => group.name);

function sortGroups(index: GroupIndex, keyOf: (group: GroupEntry) => string): readonly GroupEntry[] {
  return [...index.groups.values()]
    .filter((group) => group.name !== "")
    .map((group) => ({ group, priority: groupPriority(group.name), key: keyOf(group) }))
    .sort((a, b) => b.priority - a.priority || compareText(a.key, b.key))
    .map(({ group }) => group);
}

/** "/api/v1" or "/apis/<group>/<version>". */
export function basePath({ group, version }: Pick<VersionEntry, "group" | "version">): string {
  return group === "" ? `/api/${version}` : `/apis/${group}/${version}`;
}

export function compareText(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

// Order of groups and versions, which is part of the API: clients use the first version of a group that they
// support, and the first group with the requested kind.

const VERSION = /^v(\d+)(?:(alpha|beta)(\d+))?$/;
const STABILITY: Record<string, number> = lookupTable({ alpha: 1, beta: 2, "": 3 });

/** v2 before v1 before v1beta2 before v1beta1 before v1alpha1; other names come last, by alphabet. */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [rank(a), rank(b)];
  if (left === undefined && right === undefined) return compareText(a, b);
  const differences = [0, 1, 2].map((place) => (right?.[place] ?? -1) - (left?.[place] ?? -1));
  return differences.find((difference) => difference !== 0) ?? 0;
}

/** Stability, then major, then minor number. */
function rank(version: string): readonly number[] | undefined {
  const match = VERSION.exec(version);
  if (match === null) return undefined;
  const [, major, stability = "", minor = "0"] = match;
  return [STABILITY[stability] ?? 0, Number(major), Number(minor)];
}

/** Priority of all groups of custom resources, after the built-in ones. */
const CUSTOM_PRIORITY = 1000;

const GROUP_PRIORITY: Readonly<Record<string, number>> = lookupTable({
  "apiregistration.k8s.io": 20000,
  "": 18000,
  apps: 17800,
  "events.k8s.io": 17750,
  "authentication.k8s.io": 17700,
  "authorization.k8s.io": 17600,
  autoscaling: 17500,
  batch: 17400,
  "certificates.k8s.io": 17300,
  "networking.k8s.io": 17200,
  policy: 17100,
  "rbac.authorization.k8s.io": 17000,
  "storage.k8s.io": 16800,
  "apiextensions.k8s.io": 16700,
  "admissionregistration.k8s.io": 16700,
  "scheduling.k8s.io": 16600,
  "coordination.k8s.io": 16500,
  "node.k8s.io": 16300,
  "discovery.k8s.io": 16200,
  "resource.k8s.io": 16200,
  "flowcontrol.apiserver.k8s.io": 16100,
  "internal.apiserver.k8s.io": 16000,
  "storagemigration.k8s.io": 15800,
});

/** Groups with higher priority come first. */
export function groupPriority(group: string): number {
  return GROUP_PRIORITY[group] ?? CUSTOM_PRIORITY;
}
