// A store's revision is an integer. Clients see it as the opaque text resourceVersion. Never mix the two.

export type Revision = number & { readonly __brand: "Revision" };

export function toRevision(value: number): Revision {
  return value as Revision; // the only place that adds the brand
}
