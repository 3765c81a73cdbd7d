// The served definitions sorted by group and version: what every discovery answer and OpenAPI document starts from.
import type { ResourceDefinition, ResourceView } from "../../registry/definition/resource-definition.ts";
import { compareVersions, groupPriority } from "./version-order.ts";

export interface VersionEntry {
  readonly group: string;
  readonly version: string;
  /** "k8s.ovn.org/v1", or "v1" in the core group. */
  readonly groupVersion: string;
  /** True when all of it comes from CustomResourceDefinitions. */
  readonly custom: boolean;
  /** By the name of the resource. */
  readonly views: readonly ResourceView[];
}

export interface GroupEntry {
  readonly name: string;
  /** True when all of it comes from CustomResourceDefinitions. */
  readonly custom: boolean;
  /** In the order of preference. */
  readonly versions: readonly VersionEntry[];
}

export interface GroupIndex {
  /** The core group is the one named "". */
  readonly groups: ReadonlyMap<string, GroupEntry>;
  find(group: string, version: string): VersionEntry | undefined;
}

const indexes = new WeakMap<readonly ResourceDefinition[], GroupIndex>();

/** The index of a list of definitions; the same list gives the same index. */
export function groupIndexOf(definitions: readonly ResourceDefinition[]): GroupIndex {
  let index = indexes.get(definitions);
  if (index === undefined) {
    index = build(definitions);
    indexes.set(definitions, index);
  }
  return index;
}

function build(definitions: readonly ResourceDefinition[]): GroupIndex {
  const found = new Map<string, Map<string, ResourceView[]>>();
  for (const definition of definitions) {
    for (const version of definition.versions) {
      if (!version.served) continue;
      const versions = found.get(definition.group) ?? new Map<string, ResourceView[]>();
      found.set(definition.group, versions);
      const views = versions.get(version.name) ?? [];
      versions.set(version.name, views);
      views.push({ definition, version });
    }
  }
  const groups = new Map([...found].map(([name, versions]) => [name, groupEntry(name, versions)]));
  return {
    groups,
    find: (group, version) => groups.get(group)?.versions.find((entry) => entry.version === version),
  };
}

function groupEntry(name: string, versions: ReadonlyMap<string, ResourceView[]>): GroupEntry {
  const entries = [...versions].map(([version, views]) => versionEntry(name, version, views));
  entries.sort((a, b) => compareVersions(a.version, b.version));
  return { name, custom: entries.every((entry) => entry.custom), versions: entries };
}

function versionEntry(group: string, version: string, views: ResourceView[]): VersionEntry {
  views.sort((a, b) => compareText(a.definition.resource, b.definition.resource));
  return {
    group,
    version,
    groupVersion: group === "" ? version : `${group}/${version}`,
    custom: views.every((view) => view.definition.custom),
    views,
  };
}

/** Groups as /apis lists them: by priority; of equal ones by the name of their first version ("v1.apps"). */
export function groupsByService(index: GroupIndex): readonly GroupEntry[] {
  return sortGroups(
    index,
    (group) => group.versions.map((entry) => `${entry.version}.${group.name}`).sort()[0] ?? "",
  );
}

/** Groups as the aggregated list has them: by priority; of equal ones by name. */
export function groupsByName(index: GroupIndex): readonly GroupEntry[] {
  return sortGroups(index, (group) => group.name);
}

function sortGroups(index: GroupIndex, keyOf: (group: GroupEntry) => string): readonly GroupEntry[] {
  return [...index.groups.values()]
    .filter((group) => group.name !== "")
    .map((group) => ({ group, priority: groupPriority(group.name), key: keyOf(group) }))
    .sort((a, b) => b.priority - a.priority || compareText(a.key, b.key))
    .map(({ group }) => group);
}

/** "/api/v1" or "/apis/<group>/<version>": where the resources of a group version are. */
export function basePath({ group, version }: Pick<VersionEntry, "group" | "version">): string {
  return group === "" ? `/api/${version}` : `/apis/${group}/${version}`;
}

export function compareText(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
