// All discovery answers behind one object that remembers them: one small document for each level (/api, /apis, a group, a
// group version), and the aggregated form (apidiscovery.k8s.io/v2), from which a client knows the whole API after two
// requests. An answer is made when it is first asked for, and again only after the list of definitions changed (its
// identity changes with its content).
import { createHash } from "node:crypto";
import { lookupTable } from "../../meta/json.ts";
import { encodeJson } from "../../meta/json-encode.ts";
import { oncePer } from "../../meta/once-per.ts";
import type {
  ResourceDefinition,
  ResourceView,
  SubresourceDefinition,
} from "../../registry/definition/resource-definition.ts";
import { writtenVersion } from "../layout/stored-kinds.ts";
import {
  compareText,
  type GroupEntry,
  type GroupIndex,
  groupIndexOf,
  groupsByName,
  groupsByService,
  type VersionEntry,
} from "./group-index.ts";

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

// What discovery says about each resource and subresource of a group version, in its first form (metav1.APIResource) and
// in the aggregated one (apidiscovery.k8s.io/v2).

const OBJECT_VERBS = ["get", "patch", "update"];

const SCALE: SubresourceDefinition = {
  name: "scale",
  verbs: OBJECT_VERBS,
  kind: "Scale",
  group: "autoscaling",
  version: "v1",
  schema: { $ref: "#/components/schemas/io.k8s.api.autoscaling.v1.Scale" },
};

/** Status and scale, which every kind may have, and what a built-in kind names itself. Those of custom resources come in
 * this order; built-in kinds sort all of theirs. */
export function subresourcesOf({ definition, version }: ResourceView): readonly SubresourceDefinition[] {
  const { schema } = version;
  const common = [
    ...(version.status === undefined ? [] : [{ name: "status", verbs: OBJECT_VERBS, schema }]),
    ...(version.scale === undefined ? [] : [SCALE]),
  ];
  if (definition.custom) return common;
  return [...common, ...(definition.subresources ?? [])].sort((a, b) => compareText(a.name, b.name));
}

type ApiResource = Pick<SubresourceDefinition, "name" | "verbs" | "kind" | "group" | "version"> & {
  readonly storageVersionHash?: string;
};

/** Each resource, followed by its subresources. Their groups and versions are there only where they are not those of the list. */
export const apiResourcesOf = ({ views }: VersionEntry): readonly ApiResource[] =>
  views.flatMap((view) => {
    const { definition } = view;
    const { resource, namespaceScoped: namespaced, kind } = definition;
    const storageVersionHash = storageVersionHashOf(definition);
    return [
      {
        name: resource,
        singularName: definition.singular,
        namespaced,
        kind,
        verbs: verbsOf(definition),
        ...namesOf(definition),
        ...(storageVersionHash === undefined ? {} : { storageVersionHash }),
      },
      ...subresourcesOf(view).map((subresource) => ({
        name: `${resource}/${subresource.name}`,
        singularName: "",
        namespaced,
        ...(subresource.group === undefined ? {} : { group: subresource.group }),
        ...(subresource.version === undefined ? {} : { version: subresource.version }),
        kind: subresource.kind ?? kind,
        verbs: subresource.verbs,
      })),
    ];
  });

/** The same in the aggregated form. Built-in kinds leave group and version empty where they are those of the list. */
export const resourceDiscoveriesOf = ({ group: ownGroup, version: ownVersion, views }: VersionEntry) =>
  views.map((view) => {
    const { definition } = view;
    const { custom, kind: ownKind } = definition;
    const own = custom ? { group: ownGroup, version: ownVersion } : { group: "", version: "" };
    const subresources = subresourcesOf(view).map(
      ({ name, kind = ownKind, group = own.group, version = own.version, verbs }) => ({
        subresource: name,
        responseKind: { group, version, kind },
        verbs,
      }),
    );
    return {
      resource: definition.resource,
      responseKind: { ...own, kind: ownKind },
      scope: definition.namespaceScoped ? "Namespaced" : "Cluster",
      singularResource: definition.singular,
      verbs: verbsOf(definition),
      ...namesOf(definition),
      ...(subresources.length > 0 ? { subresources } : {}),
    };
  });

const namesOf = ({ shortNames, categories }: ResourceDefinition) => ({
  ...(shortNames.length > 0 ? { shortNames } : {}),
  ...(categories.length > 0 ? { categories } : {}),
});

/** The order in which a server lists the verbs of custom resources; those of built-in kinds are sorted. */
const CUSTOM_VERBS = "delete deletecollection get list patch create update watch".split(" ");

function verbsOf({ custom, verbs }: ResourceDefinition): readonly string[] {
  const sorted: string[] = [...verbs].sort(compareText);
  return custom ? CUSTOM_VERBS.filter((verb) => sorted.includes(verb)) : sorted;
}

/** Kinds that are stored as the kind of another group: one store behind two names. */
const STORED_AS: Readonly<Record<string, string>> = lookupTable({ "events.k8s.io/Event": "/v1/Event" });

const HASH_BYTES = 8;

/** Tells clients whether the stored form changed between two servers. Kinds that are not stored have none. */
function storageVersionHashOf(definition: ResourceDefinition): string | undefined {
  const { group, kind, verbs, versions } = definition;
  const storage = versions.find((version) => version.storage);
  if (storage?.served !== true || !verbs.includes("watch")) return undefined;
  const stored =
    STORED_AS[`${group}/${kind}`] ?? `${group}/${writtenVersion(definition, storage.name)}/${kind}`;
  return createHash("sha256").update(stored).digest().subarray(0, HASH_BYTES).toString("base64");
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
