// A store's revision is an integer; what clients see of it is the opaque text resourceVersion. Never mix the two.

export type Revision = number & { readonly __brand: "Revision" };

export function toRevision(value: number): Revision {
  return value as Revision; // the one place where the brand is put on
}
