// Fits endpoints that offer the same ports into slices, so that few slices change: what is in a slice stays in it,
// slices that change anyway are filled up, then the fullest that can take all the rest, then new ones are made.
import { equalJson, type JsonObject, objectsAt } from "../../meta/json.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import { type EndpointGroup, endpointKey } from "./endpoint.ts";

/** As kube-controller-manager's --max-endpoints-per-slice is by default. */
export const ENDPOINTS_PER_SLICE_MAX = 100;

export interface SliceChange {
  readonly old: KubeObject;
  readonly next: KubeObject;
}

/** What is to be written. */
export interface SlicePlan {
  readonly create: KubeObject[];
  readonly update: SliceChange[];
  readonly remove: KubeObject[];
}

export interface Fitting {
  readonly group: EndpointGroup;
  readonly existing: readonly KubeObject[];
  readonly labels: Readonly<Record<string, string>>;
  /** An empty slice of the group. */
  readonly fresh: () => KubeObject;
}

interface Shelf {
  /** Undefined: it is a new one. */
  readonly old: KubeObject | undefined;
  readonly endpoints: JsonObject[];
  changed: boolean;
}

export function fitEndpoints({ group, existing, labels, fresh }: Fitting): SlicePlan {
  const waiting = new Map(group.endpoints);
  const shelves = existing.map((old) => keepWanted(old, waiting));
  const emptied = shelves.filter(({ changed, endpoints }) => changed && endpoints.length === 0);
  const kept = shelves.filter((shelf) => !emptied.includes(shelf));
  for (const shelf of kept) {
    shelf.changed ||= !equalJson(shelf.old?.metadata.labels ?? {}, labels);
  }
  const changing = kept.filter(({ changed }) => changed);
  changing.sort((a, b) => b.endpoints.length - a.endpoints.length);
  for (const shelf of changing) fill(shelf, waiting);
  const made = placeRest(kept, waiting);
  const next = (base: KubeObject, { endpoints }: Shelf): KubeObject => ({
    ...base,
    metadata: { ...base.metadata, labels: { ...labels } },
    endpoints,
  });
  return {
    create: made.map((shelf) => next(fresh(), shelf)),
    update: kept.flatMap((shelf) =>
      shelf.changed && shelf.old ? [{ old: shelf.old, next: next(shelf.old, shelf) }] : [],
    ),
    remove: emptied.flatMap(({ old }) => old ?? []),
  };
}

/** What of the slice is still wanted, as it is wanted now; it waits no longer. */
function keepWanted(old: KubeObject, waiting: Map<string, JsonObject>): Shelf {
  const before = objectsAt(old, "endpoints");
  const endpoints: JsonObject[] = [];
  let changed = false;
  for (const endpoint of before) {
    const key = endpointKey(endpoint);
    const wanted = waiting.get(key);
    if (!wanted) continue;
    waiting.delete(key);
    endpoints.push(wanted);
    changed ||= !equalJson(wanted, endpoint);
  }
  return { old, endpoints, changed: changed || endpoints.length !== before.length };
}

/** Places what fits nowhere else; answers the new slices. */
function placeRest(kept: readonly Shelf[], waiting: Map<string, JsonObject>): Shelf[] {
  const made: Shelf[] = [];
  while (waiting.size > 0) {
    const open = waiting.size < ENDPOINTS_PER_SLICE_MAX ? fullestFor(kept, waiting.size) : undefined;
    const shelf = open ?? { old: undefined, endpoints: [], changed: true };
    if (!open) made.push(shelf);
    shelf.changed = true;
    fill(shelf, waiting);
  }
  return made;
}

function fullestFor(shelves: readonly Shelf[], count: number): Shelf | undefined {
  const fitting = shelves.filter(
    ({ changed, endpoints }) => !changed && endpoints.length + count <= ENDPOINTS_PER_SLICE_MAX,
  );
  return fitting.sort((a, b) => b.endpoints.length - a.endpoints.length)[0];
}

function fill(shelf: Shelf, waiting: Map<string, JsonObject>): void {
  for (const [key, endpoint] of waiting) {
    if (shelf.endpoints.length >= ENDPOINTS_PER_SLICE_MAX) return;
    shelf.endpoints.push(endpoint);
    waiting.delete(key);
  }
}
