// What a controller that deals with objects of any kind has to know: which resources are served now. Custom resources
// come and go while it runs.
import type { ResourceName } from "../../client/client.ts";

/** One version of a resource, as discovery lists it. */
export interface ServedResource extends ResourceName {
  readonly kind: string;
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
}

export interface ResourceCatalog {
  /** All served versions; of one resource the preferred version comes first. */
  list(): readonly ServedResource[];
  /** Calls back after each change; returns the way to stop. */
  onChange(listener: () => void): () => void;
}

/** Each resource once, in its preferred version, if it can be asked for all those verbs. */
export function resourcesWith(catalog: ResourceCatalog, verbs: readonly string[]): ServedResource[] {
  const preferred = new Map<string, ServedResource>();
  for (const entry of catalog.list()) {
    const name = `${entry.group}/${entry.resource}`;
    if (!preferred.has(name)) preferred.set(name, entry);
  }
  return [...preferred.values()].filter((entry) => verbs.every((verb) => entry.verbs.includes(verb)));
}

/** "k8s.ovn.org/v1", or "v1" in the core group. */
export const apiVersionOf = ({ group, version }: ResourceName): string =>
  group === "" ? version : `${group}/${version}`;
