// Aggregated discovery (apidiscovery.k8s.io/v2): everything below /api or /apis in one document, so that a client
// knows the whole API after two requests.
import type { ResourceView } from "../../registry/definition/resource-definition.ts";
import { verbsOf } from "./api-resources.ts";
import { type GroupEntry, type GroupIndex, groupsByName, type VersionEntry } from "./group-index.ts";
import { subresourcesOf } from "./subresources.ts";

interface ResponseKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

interface ResourceDiscovery {
  readonly resource: string;
  readonly responseKind: ResponseKind;
  readonly scope: "Cluster" | "Namespaced";
  readonly singularResource: string;
  readonly verbs: readonly string[];
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly subresources?: readonly {
    readonly subresource: string;
    readonly responseKind: ResponseKind;
    readonly verbs: readonly string[];
  }[];
}

export interface ApiGroupDiscoveryList {
  readonly kind: "APIGroupDiscoveryList";
  readonly apiVersion: "apidiscovery.k8s.io/v2";
  readonly metadata: Record<string, never>;
  readonly items: readonly {
    readonly metadata: { readonly name?: string };
    readonly versions: readonly {
      readonly version: string;
      readonly resources: readonly ResourceDiscovery[];
      readonly freshness: "Current";
    }[];
  }[];
}

/** The document at /api: the core group, which has no name. */
export function coreDiscovery(index: GroupIndex): ApiGroupDiscoveryList {
  const core = index.groups.get("");
  return discoveryList(core === undefined ? [] : [core]);
}

/** The document at /apis: all named groups. */
export function groupsDiscovery(index: GroupIndex): ApiGroupDiscoveryList {
  return discoveryList(groupsByName(index));
}

function discoveryList(groups: readonly GroupEntry[]): ApiGroupDiscoveryList {
  return {
    kind: "APIGroupDiscoveryList",
    apiVersion: "apidiscovery.k8s.io/v2",
    metadata: {},
    items: groups.map(({ name, versions }) => ({
      metadata: name === "" ? {} : { name },
      versions: versions.map((entry) => ({
        version: entry.version,
        resources: entry.views.map((view) => resourceDiscovery(entry, view)),
        freshness: "Current",
      })),
    })),
  };
}

function resourceDiscovery(entry: VersionEntry, view: ResourceView): ResourceDiscovery {
  const { definition } = view;
  const { shortNames, categories } = definition;
  const subresources = subresourcesOf(view).map(({ name, kind, group, version, verbs }) => ({
    subresource: name,
    responseKind: responseKind(entry, view, kind ?? definition.kind, group, version),
    verbs,
  }));
  return {
    resource: definition.resource,
    responseKind: responseKind(entry, view, definition.kind),
    scope: definition.namespaceScoped ? "Namespaced" : "Cluster",
    singularResource: definition.singular,
    verbs: verbsOf(definition),
    ...(shortNames.length > 0 ? { shortNames } : {}),
    ...(categories.length > 0 ? { categories } : {}),
    ...(subresources.length > 0 ? { subresources } : {}),
  };
}

/** Built-in kinds leave group and version empty where they are those of the list around them. */
function responseKind(
  entry: VersionEntry,
  { definition }: ResourceView,
  kind: string,
  group = definition.custom ? entry.group : "",
  version = definition.custom ? entry.version : "",
): ResponseKind {
  return { group, version, kind };
}
