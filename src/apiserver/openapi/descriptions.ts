// The descriptions that every custom resource gets for the members that the server adds to its schema.

export const API_VERSION_DESCRIPTION =
  "Version of the API in which this object is written, as group/version or just the version for the core group.";

export const KIND_DESCRIPTION = "Name of the type that this object has.";

export const METADATA_DESCRIPTION = "Name, labels and the other members that every object has.";

export const LIST_METADATA_DESCRIPTION = "What the list carries beside its items.";

export const EMBEDDED_API_VERSION_DESCRIPTION = "Version of the API in which the embedded object is written.";

export const EMBEDDED_KIND_DESCRIPTION = "Name of the type that the embedded object has.";

export function listDescription(kind: string): string {
  return `A list of ${kind} objects.`;
}

export function itemsDescription(resource: string): string {
  return `The ${resource} of this list.`;
}
