// Definitions for tests of discovery and OpenAPI: built-in kinds from a few words, custom ones from CRD facts.
import { readFileSync } from "node:fs";
import type { JsonSchema, SchemaNode } from "../../../../../src/apimachinery/schema/schema-node.ts";
import type {
  ResourceDefinition,
  ResourceVersionDefinition,
  SubresourceDefinition,
  Verb,
} from "../../../../../src/apiserver/registry/definition/resource-definition.ts";

const NODE: SchemaNode = {
  type: "object",
  format: undefined,
  properties: new Map(),
  additionalProperties: undefined,
  items: undefined,
  required: [],
  nullable: false,
  default: undefined,
  intOrString: false,
  preserveUnknownFields: false,
  embeddedResource: false,
  listType: undefined,
  listMapKeys: [],
  mapType: undefined,
  patchStrategies: [],
  patchMergeKey: undefined,
  goType: undefined,
  raw: {},
};

const ALL_VERBS: readonly Verb[] = [
  "create",
  "delete",
  "deletecollection",
  "get",
  "list",
  "patch",
  "update",
  "watch",
];

export function version(
  name: string,
  schema: JsonSchema,
  parts: Partial<ResourceVersionDefinition> = {},
): ResourceVersionDefinition {
  return {
    name,
    served: true,
    storage: true,
    schema,
    node: NODE,
    columns: [],
    selectableFields: [],
    ...parts,
  };
}

type BuiltIn = Partial<ResourceDefinition> & { readonly subresources?: readonly SubresourceDefinition[] };

/** A built-in kind of version v1; its schema has the name of the kind below the prefix. */
export function builtIn(
  group: string,
  resource: string,
  kind: string,
  schemaPrefix: string,
  parts: BuiltIn & { readonly status?: boolean } = {},
): ResourceDefinition {
  const { status, ...others } = parts;
  const schema = { $ref: `#/components/schemas/${schemaPrefix}.${kind}` };
  return {
    group,
    resource,
    singular: kind.toLowerCase(),
    kind,
    listKind: `${kind}List`,
    shortNames: [],
    categories: [],
    namespaceScoped: true,
    custom: false,
    verbs: ALL_VERBS,
    strategy: {},
    versions: [version("v1", schema, status ? { status: {} } : {})],
    ...others,
  };
}

interface CrdFacts {
  readonly group: string;
  readonly scope: string;
  readonly names: {
    readonly plural: string;
    readonly singular: string;
    readonly kind: string;
    readonly listKind: string;
    readonly shortNames?: readonly string[];
    readonly categories?: readonly string[];
  };
  readonly versions: readonly {
    readonly name: string;
    readonly served: boolean;
    readonly storage: boolean;
    readonly schema: { readonly openAPIV3Schema: JsonSchema };
    readonly subresources?: { readonly status?: object };
  }[];
}

/** The definition that belongs to the facts of a CRD ("egressips.k8s.ovn.org"). */
export function fromFacts(crdName: string): ResourceDefinition {
  const file = new URL(`../../../../fixtures/facts/crds/${crdName}.json`, import.meta.url);
  const { group, scope, names, versions } = JSON.parse(readFileSync(file, "utf8")) as CrdFacts; // our own fixture
  return custom(group, names.plural, names.kind, {
    singular: names.singular,
    listKind: names.listKind,
    shortNames: names.shortNames ?? [],
    categories: names.categories ?? [],
    namespaceScoped: scope === "Namespaced",
    versions: versions.map((item) =>
      version(item.name, item.schema.openAPIV3Schema, {
        served: item.served,
        storage: item.storage,
        ...(item.subresources?.status ? { status: {} } : {}),
      }),
    ),
  });
}

export function custom(
  group: string,
  resource: string,
  kind: string,
  parts: Partial<ResourceDefinition> = {},
): ResourceDefinition {
  return {
    group,
    resource,
    singular: kind.toLowerCase(),
    kind,
    listKind: `${kind}List`,
    shortNames: [],
    categories: [],
    namespaceScoped: false,
    custom: true,
    verbs: ALL_VERBS,
    strategy: {},
    versions: [version("v1", { type: "object" })],
    ...parts,
  };
}
