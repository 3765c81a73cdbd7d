// Makes the definition of a built-in kind from what is particular to it.

import type { Review } from "../registry/definition/actions.ts";
import type {
  ResourceDefinition,
  ResourceVersionDefinition,
  RowPrinter,
  ScaleSubresource,
  StoredForm,
  SubresourceDefinition,
  Verb,
} from "../registry/definition/resource-definition.ts";
import type { Strategy } from "../registry/definition/strategy.ts";
import { compileSchema } from "../schema/compile-schema.ts";
import { schemaLibrary, schemaRef } from "../schema/go/schema-library.ts";
import type { SchemaNode } from "../schema/schema-node.ts";
import { type PrintedColumn, rowPrinter } from "./columns.ts";

/** What may differ between the versions of a kind. */
export interface BuiltInVersion {
  /** The OpenAPI name of the type; its last word is the kind. */
  readonly type: string;
  readonly version: string;
  readonly strategy: Strategy;
  /** Given: a POST does something to another object, and nothing is kept. */
  readonly action?: ResourceDefinition["action"];
  readonly status?: Strategy;
  /** Given: another form than this version's is stored. */
  readonly storedForm?: StoredForm;
  /** Given: the version is deprecated, and answers carry this text. */
  readonly deprecationWarning?: string;
}

export interface BuiltInKind extends BuiltInVersion {
  readonly group: string;
  readonly resource: string;
  /** Left out: the kind in lower case. */
  readonly singular?: string;
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly namespaceScoped: boolean;
  /** Left out: all of them. */
  readonly verbs?: readonly Verb[];
  readonly columns?: readonly PrintedColumn[];
  /** Left out: the columns say what they show. */
  readonly printRow?: RowPrinter;
  readonly selectableFields?: readonly string[];
  readonly fieldValue?: (object: Readonly<Record<string, unknown>>, field: string) => string;
  /** Given: the kind is asked and not kept. */
  readonly review?: Review;
  readonly scale?: ScaleSubresource;
  readonly storagePrefix?: string;
  readonly errorGroup?: string;
  readonly subresources?: readonly SubresourceDefinition[];
  readonly returnsDeletedObject?: boolean;
  /** Less preferred versions of the kind, best first; none of them is stored. */
  readonly olderVersions?: readonly BuiltInVersion[];
}

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

/** A real server leaves the metadata of these groups, and of events, to the library that custom resources are checked with. */
const LENIENT_GROUPS = new Set([
  "admissionregistration.k8s.io",
  "apiextensions.k8s.io",
  "apiregistration.k8s.io",
  "coordination.k8s.io",
]);

const ownsFinalizers = ({ group, resource }: BuiltInKind): boolean =>
  !LENIENT_GROUPS.has(group) && resource !== "events";

export function builtIn(kind: BuiltInKind): ResourceDefinition {
  const printRow = kind.printRow ?? (kind.columns && rowPrinter(kind.columns));
  const kindName = kind.type.slice(kind.type.lastIndexOf(".") + 1);
  return {
    group: kind.group,
    resource: kind.resource,
    singular: kind.singular ?? kindName.toLowerCase(),
    kind: kindName,
    listKind: `${kindName}List`,
    shortNames: kind.shortNames ?? [],
    categories: kind.categories ?? [],
    namespaceScoped: kind.namespaceScoped,
    custom: false,
    ownedFinalizers: ownsFinalizers(kind),
    verbs: kind.verbs ?? ALL_VERBS,
    strategy: kind.strategy,
    versions: [
      versionOf(kind, kind, true),
      ...(kind.olderVersions ?? []).map((older) => versionOf(kind, older, false)),
    ],
    ...(kind.review ? { review: kind.review } : {}),
    ...(kind.action ? { action: kind.action } : {}),
    ...(kind.storagePrefix === undefined ? {} : { storagePrefix: kind.storagePrefix }),
    ...(kind.errorGroup === undefined ? {} : { errorGroup: kind.errorGroup }),
    ...(kind.subresources ? { subresources: kind.subresources } : {}),
    ...(kind.returnsDeletedObject === undefined ? {} : { returnsDeletedObject: kind.returnsDeletedObject }),
    ...(printRow ? { printRow } : {}),
    ...(kind.fieldValue ? { fieldValue: kind.fieldValue } : {}),
  };
}

/** The schema is compiled when it is first needed, so that a server starts without doing it for every kind. */
function versionOf(
  kind: BuiltInKind,
  { type, version, strategy, status, storedForm, deprecationWarning }: BuiltInVersion,
  storage: boolean,
): ResourceVersionDefinition {
  const schema = schemaRef(type);
  let node: SchemaNode | undefined;
  return {
    name: version,
    served: true,
    storage,
    schema,
    strategy,
    get node() {
      node ??= compileSchema(schema, schemaLibrary().resolve);
      return node;
    },
    columns: kind.columns ?? [],
    selectableFields: kind.selectableFields ?? [],
    ...(status ? { status } : {}),
    ...(storedForm ? { storedForm } : {}),
    ...(kind.scale ? { scale: kind.scale } : {}),
    ...(deprecationWarning === undefined ? {} : { deprecated: true, deprecationWarning }),
  };
}
