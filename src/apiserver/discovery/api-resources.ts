// metav1.APIResource entries: what discovery says about each resource and subresource of a group version.

import { createHash } from "node:crypto";
import { lookupTable } from "../../meta/json.ts";
import type {
  ResourceDefinition,
  ResourceView,
  SubresourceDefinition,
} from "../../registry/definition/resource-definition.ts";
import { compareText, type VersionEntry } from "./group-index.ts";
import { subresourcesOf } from "./subresources.ts";

export interface ApiResource {
  readonly name: string;
  readonly singularName: string;
  readonly namespaced: boolean;
  /** Group and version are there only where they are not those of the list. */
  readonly group?: string;
  readonly version?: string;
  readonly kind: string;
  readonly verbs: readonly string[];
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly storageVersionHash?: string;
}

/** Each resource, followed by its subresources. */
export function apiResourcesOf(entry: VersionEntry): readonly ApiResource[] {
  return entry.views.flatMap((view) => [
    mainResource(view),
    ...subresourcesOf(view).map((subresource) => subresourceEntry(view, subresource)),
  ]);
}

function mainResource({ definition }: ResourceView): ApiResource {
  const { resource, singular, namespaceScoped, kind, shortNames, categories } = definition;
  const storageVersionHash = storageVersionHashOf(definition);
  return {
    name: resource,
    singularName: singular,
    namespaced: namespaceScoped,
    kind,
    verbs: verbsOf(definition),
    ...(shortNames.length > 0 ? { shortNames } : {}),
    ...(categories.length > 0 ? { categories } : {}),
    ...(storageVersionHash === undefined ? {} : { storageVersionHash }),
  };
}

function subresourceEntry({ definition }: ResourceView, subresource: SubresourceDefinition): ApiResource {
  return {
    name: `${definition.resource}/${subresource.name}`,
    singularName: "",
    namespaced: definition.namespaceScoped,
    ...(subresource.group === undefined ? {} : { group: subresource.group }),
    ...(subresource.version === undefined ? {} : { version: subresource.version }),
    kind: subresource.kind ?? definition.kind,
    verbs: subresource.verbs,
  };
}

/** The order in which a server lists the verbs of custom resources; those of built-in kinds are sorted. */
const CUSTOM_VERBS = [
  "delete",
  "deletecollection",
  "get",
  "list",
  "patch",
  "create",
  "update",
  "watch",
] as const;

export function verbsOf({ custom, verbs }: ResourceDefinition): readonly string[] {
  return custom ? CUSTOM_VERBS.filter((verb) => verbs.includes(verb)) : [...verbs].sort(compareText);
}

/** Kinds that are stored as the kind of another group: one store behind two names. */
const STORED_AS: Readonly<Record<string, string>> = lookupTable({ "events.k8s.io/Event": "/v1/Event" });

const HASH_BYTES = 8;

/** Tells clients whether the stored form changed between two servers. Kinds that are not stored have none. */
function storageVersionHashOf({ group, kind, verbs, versions }: ResourceDefinition): string | undefined {
  const storage = versions.find((version) => version.storage);
  if (storage?.served !== true || !verbs.includes("watch")) return undefined;
  const stored = STORED_AS[`${group}/${kind}`] ?? `${group}/${storage.name}/${kind}`;
  return createHash("sha256").update(stored).digest().subarray(0, HASH_BYTES).toString("base64");
}
