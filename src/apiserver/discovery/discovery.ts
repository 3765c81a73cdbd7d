// All discovery answers behind one object that remembers them: one small document for each level (/api, /apis, a group, a
// group version), and the aggregated form (apidiscovery.k8s.io/v2), from which a client knows the whole API after two
// requests. An answer is made when it is first asked for, and again only after the list of definitions changed (its
// identity changes with its content).
import { createHash } from "node:crypto";
import { encodeJson } from "../../meta/json-encode.ts";
import type { ResourceDefinition } from "../../registry/definition/resource-definition.ts";
import {
  type GroupEntry,
  type GroupIndex,
  groupIndexOf,
  groupsByName,
  groupsByService,
} from "./group-index.ts";
import { apiResourcesOf, resourceDiscoveriesOf } from "./resource-entries.ts";

type Definitions = readonly ResourceDefinition[];

export type Discovery = ReturnType<typeof createDiscovery>;

export function createDiscovery() {
  const answers = new WeakMap<Definitions, Map<string, unknown>>();

  /** The answer under the key, made at the first call. One key always has answers of one type. What there is not is not kept. */
  const remember = <T>(definitions: Definitions, key: string, make: (index: GroupIndex) => T): T => {
    const known = answers.get(definitions) ?? new Map<string, unknown>();
    answers.set(definitions, known);
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
      remember(definitions, "core", ({ groups }) => aggregated([groups.get("") ?? []].flat())),
    /** /apis as one APIGroupDiscoveryList: all named groups. */
    aggregatedGroups: (definitions: Definitions) =>
      remember(definitions, "all", (index) => aggregated(groupsByName(index))),
  };
}

function groupMembers(group: GroupEntry) {
  const versions = group.versions.map(({ groupVersion, version }) => ({ groupVersion, version }));
  return { name: group.name, versions, preferredVersion: versions[0] };
}

/** The document, and the value of its ETag header, quotes included. */
function aggregated(groups: readonly GroupEntry[]) {
  const body = {
    kind: "APIGroupDiscoveryList",
    apiVersion: "apidiscovery.k8s.io/v2",
    metadata: {},
    items: groups.map(({ name, versions }) => ({
      metadata: name === "" ? {} : { name },
      versions: versions.map((entry) => ({
        version: entry.version,
        resources: resourceDiscoveriesOf(entry),
        freshness: "Current",
      })),
    })),
  };
  const hash = createHash("sha512").update(encodeJson(body)).digest("hex").toUpperCase();
  return { body, etag: `"${hash}"` };
}
