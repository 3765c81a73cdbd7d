// All discovery documents, cached: one small document per level (/api, /apis, a group, a group version), and the
// aggregated form (apidiscovery.k8s.io/v2). From the latter a client learns the whole API in two requests. A
// document is built on the first request, and again after the definitions change (a new list has a new identity).
import { memoize } from "../../../apimachinery/meta/memoize.ts";
import type { ResourceDefinition } from "../../registry/definition/resource-definition.ts";
import { aggregatedDocument } from "./aggregated.ts";
import {
  type GroupEntry,
  type GroupIndex,
  groupIndexOf,
  groupsByName,
  groupsByService,
} from "./group-index.ts";
import { apiResourcesOf } from "./resources.ts";

type Definitions = readonly ResourceDefinition[];

export function createDiscovery() {
  const answersOf = memoize((_definitions: Definitions) => new Map<string, unknown>());

  /** The cached document, built at the first call. A key always has documents of one type. undefined is not cached. */
  const remember = <T>(definitions: Definitions, key: string, make: (index: GroupIndex) => T): T => {
    const known = answersOf(definitions);
    const answer = (known.get(key) as T | undefined) ?? make(groupIndexOf(definitions)); // see above
    if (answer !== undefined) known.set(key, answer);
    return answer;
  };

  return {
    /** /api. It has no apiVersion, for compatibility with the oldest clients. */
    versions: (definitions: Definitions, serverAddress: string) =>
      remember(definitions, `versions ${serverAddress}`, ({ groups }) => ({
        kind: "APIVersions",
        versions: (groups.get("")?.versions ?? []).map((entry) => entry.version),
        serverAddressByClientCIDRs: [{ clientCIDR: "0.0.0.0/0", serverAddress }],
      })),
    /** /apis. */
    groups: (definitions: Definitions) =>
      remember(definitions, "groups", (index) => ({
        kind: "APIGroupList",
        apiVersion: "v1",
        groups: groupsByService(index).map(groupMembers),
      })),
    /** /apis/<group>; undefined when the group is not served. */
    group: (definitions: Definitions, name: string) =>
      remember(definitions, `group ${name}`, ({ groups }) => {
        const group = name === "" ? undefined : groups.get(name);
        return group && { kind: "APIGroup", apiVersion: "v1", ...groupMembers(group) };
      }),
    /** /api/v1 (group "") and /apis/<group>/<version>; undefined when it is not served. */
    resources: (definitions: Definitions, group: string, version: string) =>
      remember(definitions, `resources ${group}/${version}`, (index) => {
        const entry = index.find(group, version);
        return (
          entry && {
            kind: "APIResourceList",
            ...(group === "" ? {} : { apiVersion: "v1" }), // compatibility with the oldest clients
            groupVersion: entry.groupVersion,
            resources: apiResourcesOf(entry),
          }
        );
      }),
    /** /api as one APIGroupDiscoveryList: the core group, which has no name. */
    aggregatedCore: (definitions: Definitions) =>
      remember(definitions, "core", ({ groups }) => aggregatedDocument([groups.get("") ?? []].flat())),
    /** /apis as one APIGroupDiscoveryList: all named groups. */
    aggregatedGroups: (definitions: Definitions) =>
      remember(definitions, "all", (index) => aggregatedDocument(groupsByName(index))),
  };
}

function groupMembers(group: GroupEntry) {
  const versions = group.versions.map(({ groupVersion, version }) => ({ groupVersion, version }));
  return { name: group.name, versions, preferredVersion: versions[0] };
}

// The body of /version. Clients compare minor and gitVersion with their own, so those are the emulated release of
// Kubernetes. gitTreeState and gitCommit identify Egret.

/** "1.36": the API version in OpenAPI documents. */
export const API_VERSION = "1.36";

export interface BuildInfo {
  /** The version of this server: "0.1.0". */
  readonly egretVersion: string;
  /** RFC 3339. */
  readonly buildDate: string;
  /** "linux/amd64". */
  readonly platform: string;
}

export type VersionInfo = Readonly<ReturnType<typeof versionInfo>>;

/** Distinguishes Egret from a kube-apiserver. */
export const EGRET_TREE_STATE = "egret";

export function versionInfo({ egretVersion, buildDate, platform }: BuildInfo) {
  return {
    major: "1",
    minor: "36",
    emulationMajor: "1",
    emulationMinor: "36",
    minCompatibilityMajor: "1",
    minCompatibilityMinor: "35",
    gitVersion: `v${API_VERSION}.3`,
    gitCommit: `egret-${egretVersion}`,
    gitTreeState: EGRET_TREE_STATE,
    buildDate,
    goVersion: "none",
    compiler: "gc",
    platform,
  };
}
