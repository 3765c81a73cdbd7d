// All discovery answers behind one object that remembers them. An answer is made when it is first asked for, and
// again only after the list of definitions changed (its identity changes with its content).
import { createHash } from "node:crypto";
import { encodeJson } from "../../meta/json-encode.ts";
import type { ResourceDefinition } from "../../registry/definition/resource-definition.ts";
import { type ApiGroupDiscoveryList, coreDiscovery, groupsDiscovery } from "./aggregated.ts";
import { groupIndexOf } from "./group-index.ts";
import {
  type ApiGroup,
  type ApiGroupList,
  type ApiResourceList,
  type ApiVersions,
  apiGroup,
  apiGroupList,
  apiResourceList,
  apiVersions,
} from "./legacy.ts";

type Definitions = readonly ResourceDefinition[];

interface AggregatedDocument {
  readonly body: ApiGroupDiscoveryList;
  /** The value of the ETag header, quotes included. */
  readonly etag: string;
}

export interface Discovery {
  /** /api. */
  versions(definitions: Definitions, serverAddress: string): ApiVersions;
  /** /apis. */
  groups(definitions: Definitions): ApiGroupList;
  /** /apis/<group>; undefined when nothing of it is served. */
  group(definitions: Definitions, group: string): ApiGroup | undefined;
  /** /api/v1 (group "") and /apis/<group>/<version>; undefined when it is not served. */
  resources(definitions: Definitions, group: string, version: string): ApiResourceList | undefined;
  /** /api as one APIGroupDiscoveryList. */
  aggregatedCore(definitions: Definitions): AggregatedDocument;
  /** /apis as one APIGroupDiscoveryList. */
  aggregatedGroups(definitions: Definitions): AggregatedDocument;
}

export function createDiscovery(): Discovery {
  const answers = new WeakMap<Definitions, Map<string, unknown>>();

  /** The answer under the key, made at the first call. One key always has answers of one type. */
  const remember = <T>(definitions: Definitions, key: string, make: () => T): T => {
    const known = answers.get(definitions) ?? new Map<string, unknown>();
    answers.set(definitions, known);
    if (!known.has(key)) known.set(key, make());
    return known.get(key) as T; // see above
  };

  return {
    versions: (definitions, serverAddress) =>
      remember(definitions, `versions ${serverAddress}`, () =>
        apiVersions(groupIndexOf(definitions), serverAddress),
      ),
    groups: (definitions) => remember(definitions, "groups", () => apiGroupList(groupIndexOf(definitions))),
    group(definitions, name) {
      const group = groupIndexOf(definitions).groups.get(name);
      if (group === undefined || name === "") return undefined;
      return remember(definitions, `group ${name}`, () => apiGroup(group));
    },
    resources(definitions, group, version) {
      const entry = groupIndexOf(definitions).find(group, version);
      if (entry === undefined) return undefined;
      return remember(definitions, `resources ${entry.groupVersion}`, () => apiResourceList(entry));
    },
    aggregatedCore: (definitions) =>
      remember(definitions, "core", () => withEtag(coreDiscovery(groupIndexOf(definitions)))),
    aggregatedGroups: (definitions) =>
      remember(definitions, "all", () => withEtag(groupsDiscovery(groupIndexOf(definitions)))),
  };
}

function withEtag(body: ApiGroupDiscoveryList): AggregatedDocument {
  const hash = createHash("sha512").update(encodeJson(body)).digest("hex").toUpperCase();
  return { body, etag: `"${hash}"` };
}
