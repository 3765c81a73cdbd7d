// Discovery of the resources and subresources of a group version, in the first form (metav1.APIResource) and in the
// aggregated form (apidiscovery.k8s.io/v2).
import { createHash } from "node:crypto";
import { lookupTable } from "../../../apimachinery/json/json.ts";
import { writtenVersion } from "../../layout/stored-kinds.ts";
import type {
  ResourceDefinition,
  ResourceView,
  SubresourceDefinition,
} from "../../registry/definition/resource-definition.ts";
import { compareText, type VersionEntry } from "./group-index.ts";

const OBJECT_VERBS = ["get", "patch", "update"];

const SCALE: SubresourceDefinition = {
  name: "scale",
  verbs: OBJECT_VERBS,
  kind: "Scale",
  group: "autoscaling",
  version: "v1",
  schema: { $ref: "#/components/schemas/io.k8s.api.autoscaling.v1.Scale" },
};

/**
 * Status and scale, which every kind may have, and the further subresources of built-in kinds. Custom resources have
 * this order; built-in kinds are sorted.
 */
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

/**
 * Each resource, followed by its subresources. Group and version are present only where they differ from those of
 * the list.
 */
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

/**
 * The aggregated form of one resource. Built-in kinds leave group and version empty where they equal those of the
 * list.
 */
export function resourceDiscoveryOf(view: ResourceView) {
  const { definition, version } = view;
  const { custom, kind: ownKind } = definition;
  const own = custom ? { group: definition.group, version: version.name } : { group: "", version: "" };
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
}

const namesOf = ({ shortNames, categories }: ResourceDefinition) => ({
  ...(shortNames.length > 0 ? { shortNames } : {}),
  ...(categories.length > 0 ? { categories } : {}),
});

/** Verbs of custom resources in the order of a kube-apiserver; those of built-in kinds are sorted. */
const CUSTOM_VERBS = "delete deletecollection get list patch create update watch".split(" ");

function verbsOf({ custom, verbs }: ResourceDefinition): readonly string[] {
  const sorted: string[] = [...verbs].sort(compareText);
  return custom ? CUSTOM_VERBS.filter((verb) => sorted.includes(verb)) : sorted;
}

/** Kinds that are stored as the kind of another group. */
const STORED_AS: Readonly<Record<string, string>> = lookupTable({ "events.k8s.io/Event": "/v1/Event" });

const HASH_BYTES = 8;

/**
 * A hash by which clients detect a change of the stored form between two servers. undefined for kinds that are not
 * stored.
 */
function storageVersionHashOf(definition: ResourceDefinition): string | undefined {
  const { group, kind, verbs, versions } = definition;
  const storage = versions.find((version) => version.storage);
  if (storage?.served !== true || !verbs.includes("watch")) return undefined;
  const stored =
    STORED_AS[`${group}/${kind}`] ?? `${group}/${writtenVersion(definition, storage.name)}/${kind}`;
  return createHash("sha256").update(stored).digest().subarray(0, HASH_BYTES).toString("base64");
}
