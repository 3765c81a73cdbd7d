// All discovery answers behind one object that remembers them: one small document for each level (/api, /apis, a group, a
// group version), and the aggregated form (apidiscovery.k8s.io/v2), from which a client knows the whole API after two
// requests. An answer is made when it is first asked for, and again only after the list of definitions changed (its
// identity changes with its content).
import { oncePer } from "../../meta/once-per.ts";
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
  const answersOf = oncePer((_definitions: Definitions) => new Map<string, unknown>());

  /** The answer under the key, made at the first call. One key always has answers of one type. What there is not is not kept. */
  const remember = <T>(definitions: Definitions, key: string, make: (index: GroupIndex) => T): T => {
    const known = answersOf(definitions);
    const answer = (known.get(key) as T | undefined) ?? make(groupIndexOf(definitions)); // see above
    if (answer !== undefined) known.set(key, answer);
    return answer;
  };

  return {
    /** /api. It never says its apiVersion, for the sake of the oldest clients. */
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
    /** /apis/<group>; undefined when nothing of it is served. */
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
            ...(group === "" ? {} : { apiVersion: "v1" }), // for the sake of the oldest clients
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

// The body of /version. Clients compare minor and gitVersion with their own, so those are the numbers of the
// Kubernetes version whose behaviour this server has; who answers is said in gitTreeState and gitCommit.

/** "1.36": as OpenAPI documents name the version of the API. */
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

/** By which Egret is known from a kube-apiserver. */
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
