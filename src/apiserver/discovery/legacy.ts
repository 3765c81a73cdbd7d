// Discovery in its first form: one small document per level (/api, /apis, a group, a group version).
import { type ApiResource, apiResourcesOf } from "./api-resources.ts";
import { type GroupEntry, type GroupIndex, groupsByService, type VersionEntry } from "./group-index.ts";

export interface ApiVersions {
  readonly kind: "APIVersions";
  readonly versions: readonly string[];
  readonly serverAddressByClientCIDRs: readonly {
    readonly clientCIDR: string;
    readonly serverAddress: string;
  }[];
}

/** /api. It never says its apiVersion, for the sake of the oldest clients. */
export function apiVersions(index: GroupIndex, serverAddress: string): ApiVersions {
  const versions = index.groups.get("")?.versions ?? [];
  return {
    kind: "APIVersions",
    versions: versions.map((entry) => entry.version),
    serverAddressByClientCIDRs: [{ clientCIDR: "0.0.0.0/0", serverAddress }],
  };
}

interface GroupVersionForDiscovery {
  readonly groupVersion: string;
  readonly version: string;
}

interface GroupMembers {
  readonly name: string;
  readonly versions: readonly GroupVersionForDiscovery[];
  readonly preferredVersion: GroupVersionForDiscovery;
}

export type ApiGroup = { readonly kind: "APIGroup"; readonly apiVersion: "v1" } & GroupMembers;

export interface ApiGroupList {
  readonly kind: "APIGroupList";
  readonly apiVersion: "v1";
  readonly groups: readonly GroupMembers[];
}

/** /apis. */
export function apiGroupList(index: GroupIndex): ApiGroupList {
  return { kind: "APIGroupList", apiVersion: "v1", groups: groupsByService(index).map(groupMembers) };
}

/** /apis/<group>. */
export function apiGroup(group: GroupEntry): ApiGroup {
  return { kind: "APIGroup", apiVersion: "v1", ...groupMembers(group) };
}

function groupMembers(group: GroupEntry): GroupMembers {
  const versions = group.versions.map(({ groupVersion, version }) => ({ groupVersion, version }));
  // A group is in the index only with a version.
  const [preferredVersion = { groupVersion: group.name, version: "" }] = versions;
  return { name: group.name, versions, preferredVersion };
}

export interface ApiResourceList {
  readonly kind: "APIResourceList";
  /** Not in the core group, for the sake of the oldest clients. */
  readonly apiVersion?: "v1";
  readonly groupVersion: string;
  readonly resources: readonly ApiResource[];
}

/** /api/v1 and /apis/<group>/<version>. */
export function apiResourceList(entry: VersionEntry): ApiResourceList {
  return {
    kind: "APIResourceList",
    ...(entry.group === "" ? {} : { apiVersion: "v1" }),
    groupVersion: entry.groupVersion,
    resources: apiResourcesOf(entry),
  };
}
