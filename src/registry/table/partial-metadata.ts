// PartialObjectMetadata: an object reduced to what every object has, for clients that need no more.
import type { ObjectMeta } from "../../meta/object-meta.ts";

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
