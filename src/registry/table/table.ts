// meta.k8s.io Table: the form in which kubectl asks for what it prints. The server chooses columns and cells; each
// row may carry its object, whole or reduced to its metadata.
import type { KubeObject, ObjectMeta } from "../../meta/object-meta.ts";
import type { ResourceView } from "../definition/resource-definition.ts";
import { type ColumnDefinition, columnsOf, type TableColumns } from "./columns.ts";

export type IncludeObject = "None" | "Metadata" | "Object";

export interface TableOptions {
  readonly includeObject: IncludeObject;
  readonly nowMs: number;
  readonly apiVersion: MetaApiVersion;
  /** The metadata of a list. Left out for a single object, whose resourceVersion then stands for the table's. */
  readonly listMeta?: ListMeta;
  /** Leaves the column definitions out: all events of a watch but the first. */
  readonly omitColumns?: boolean;
}

interface TableRow {
  readonly cells: readonly unknown[];
  readonly conditions?: readonly unknown[];
  readonly object: unknown;
}

export interface Table {
  readonly kind: "Table";
  readonly apiVersion: MetaApiVersion;
  readonly metadata: ListMeta;
  readonly columnDefinitions: readonly ColumnDefinition[] | null;
  readonly rows: readonly TableRow[];
}

/** Objects are shared with the table, not copied. */
export function makeTable(
  view: ResourceView,
  items: readonly Readonly<KubeObject>[],
  options: TableOptions,
): Table {
  const columns = columnsOf(view);
  return {
    kind: "Table",
    apiVersion: options.apiVersion,
    metadata: options.listMeta ?? singleMeta(items[0]),
    columnDefinitions: options.omitColumns ? null : columns.definitions,
    rows: items.map((item) => makeRow(columns, item, options)),
  };
}

function singleMeta(object: Readonly<KubeObject> | undefined): ListMeta {
  const resourceVersion = object?.metadata.resourceVersion;
  return resourceVersion ? { resourceVersion } : {};
}

function makeRow(columns: TableColumns, object: Readonly<KubeObject>, options: TableOptions): TableRow {
  const { cells, conditions } = columns.print(object, options.nowMs);
  const included = includedObject(object, options);
  return conditions?.length ? { cells, conditions, object: included } : { cells, object: included };
}

function includedObject(object: Readonly<KubeObject>, { includeObject, apiVersion }: TableOptions): unknown {
  switch (includeObject) {
    case "None":
      return null;
    case "Metadata":
      return toPartialMetadata(object, apiVersion);
    case "Object":
      return object;
  }
}

export type MetaApiVersion = "meta.k8s.io/v1" | "meta.k8s.io/v1beta1";

/** metav1.ListMeta, as lists and tables carry it. */
export interface ListMeta {
  readonly resourceVersion?: string;
  readonly continue?: string;
  readonly remainingItemCount?: number;
}

export interface PartialObjectMetadata {
  readonly kind: "PartialObjectMetadata";
  readonly apiVersion: MetaApiVersion;
  readonly metadata: Readonly<ObjectMeta>;
}

/** The metadata is shared with the object, not copied. */
export function toPartialMetadata(
  object: { readonly metadata: Readonly<ObjectMeta> },
  apiVersion: MetaApiVersion = "meta.k8s.io/v1",
): PartialObjectMetadata {
  return { kind: "PartialObjectMetadata", apiVersion, metadata: object.metadata };
}

export interface PartialObjectMetadataList {
  readonly kind: "PartialObjectMetadataList";
  readonly apiVersion: MetaApiVersion;
  readonly metadata: ListMeta;
  /** null when there are none, as a real server answers. */
  readonly items: readonly PartialObjectMetadata[] | null;
}

export function toPartialMetadataList(
  objects: readonly { readonly metadata: Readonly<ObjectMeta> }[],
  metadata: ListMeta,
  apiVersion: MetaApiVersion = "meta.k8s.io/v1",
): PartialObjectMetadataList {
  const items = objects.map((object) => toPartialMetadata(object, apiVersion));
  return {
    kind: "PartialObjectMetadataList",
    apiVersion,
    metadata,
    items: items.length === 0 ? null : items,
  };
}
