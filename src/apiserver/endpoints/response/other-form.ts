// Transformed responses: Table rows, which kubectl prints, with columns and cells that the server chooses; or
// PartialObjectMetadata. Objects and metadata are shared, not copied.
import type { Clock } from "../../../apimachinery/meta/clock.ts";
import type { KubeObject } from "../../../apimachinery/meta/object-meta.ts";
import { badRequest } from "../../../apimachinery/meta/status.ts";
import { columnsOf } from "../../registry/table/columns.ts";
import type { ApiRequest } from "../api-request.ts";
import type { RequestScope } from "../request-scope.ts";

export interface Asked extends Pick<RequestScope, "view" | "negotiated"> {
  readonly request: Pick<ApiRequest, "query">;
  readonly clock: Pick<Clock, "now">;
}

/** metav1.ListMeta of lists and tables. */
export interface ListMeta {
  readonly resourceVersion?: string;
  readonly continue?: string;
  readonly remainingItemCount?: number;
  readonly shardInfo?: { readonly selector: string };
}

type Shown = Readonly<KubeObject>;

export interface OtherForm {
  /** A single object. `omitColumns`: only the first event of a watch has the column definitions of its Table. */
  single(object: Shown, omitColumns?: boolean): object;
  /** An object in a list, and the name of the items array. */
  item(object: Shown): object;
  readonly member: "items" | "rows";
  list(items: readonly unknown[], metadata: ListMeta): ListFrame;
}

/** A list without its items. */
export interface ListFrame {
  readonly kind: string;
  readonly apiVersion: string;
  readonly metadata: ListMeta;
}

/** The negotiated transformation; undefined: objects are returned as they are. Throws 400. */
export function otherForm({ request, view, negotiated, clock }: Asked): OtherForm | undefined {
  const { transform } = negotiated;
  if (transform === undefined) return undefined;
  const apiVersion = `meta.k8s.io/${transform.version}`;
  const metadataOf = ({ metadata }: Shown) => ({ kind: "PartialObjectMetadata", apiVersion, metadata });
  if (transform.kind !== "Table") {
    return {
      single: metadataOf,
      item: metadataOf,
      member: "items",
      list(items, metadata) {
        const some = items.length === 0 ? null : items; // null for an empty list, as in a kube-apiserver
        return { kind: "PartialObjectMetadataList", apiVersion, metadata, items: some };
      },
    };
  }
  const included = INCLUDED[includeObject(request)];
  const columns = columnsOf(view);
  const { versionedAnnotations = [] } = view.definition;
  const inRow = (object: Shown) => metadataOf(withoutAnnotations(object, versionedAnnotations));
  const row = (object: Shown) => {
    const { cells, conditions } = columns.print(object, clock.now());
    return {
      cells,
      ...(conditions?.length ? { conditions } : {}),
      object: included(object, inRow),
    };
  };
  const head = { kind: "Table", apiVersion };
  const columnDefinitions = columns.definitions;
  return {
    single(object, omitColumns = false) {
      const { resourceVersion } = object.metadata;
      const metadata = resourceVersion ? { resourceVersion } : {};
      const shown = omitColumns ? null : columnDefinitions;
      return { ...head, metadata, columnDefinitions: shown, rows: [row(object)] };
    },
    item: row,
    member: "rows",
    list: (rows, metadata) => ({ ...head, metadata, columnDefinitions, rows }),
  };
}

/** Rows are computed from the internal form, which has fields instead of some annotations. */
function withoutAnnotations(object: Shown, names: readonly string[]): Shown {
  const { annotations } = object.metadata;
  if (annotations === undefined || !names.some((name) => name in annotations)) return object;
  const kept = Object.fromEntries(Object.entries(annotations).filter(([name]) => !names.includes(name)));
  const { annotations: _, ...metadata } = object.metadata;
  return {
    ...object,
    metadata: Object.keys(kept).length > 0 ? { ...metadata, annotations: kept } : metadata,
  };
}

/** The object in a Table row, by includeObject. */
const INCLUDED = {
  None: () => null,
  Metadata: (object: Shown, metadataOf: (object: Shown) => object) => metadataOf(object),
  Object: (object: Shown) => object,
};

function includeObject({ query }: Asked["request"]): keyof typeof INCLUDED {
  const text = query.get("includeObject");
  if (text === "" || text === "Metadata") return "Metadata";
  if (text === "None" || text === "Object") return text;
  throw badRequest(
    `Unable to convert to Table as requested: includeObject: Invalid value: ${JSON.stringify(text)}: must be 'Metadata', 'Object', 'None', or empty`,
  );
}
