// Plans all EndpointSlices of one Service.

import { equalJson, type JsonObject, objectsAt } from "../../../apimachinery/json/json.ts";
import type { IpFamily } from "../../../apimachinery/meta/ip.ts";
import { append } from "../../../apimachinery/meta/lists.ts";
import type { KubeObject, ObjectMeta } from "../../../apimachinery/meta/object-meta.ts";
import type { Pod, Service } from "../endpoints/service.ts";
import {
  addressTypeOf,
  type EndpointGroup,
  endpointKey,
  groupEndpoints,
  isOwnedBy,
  labelsOf,
  newSlice,
  portsKey,
} from "./slice.ts";

const BOTH: readonly IpFamily[] = [4, 6];

/** The planned writes. */
export interface SlicePlan {
  create: KubeObject[];
  update: { readonly old: KubeObject; readonly next: KubeObject }[];
  remove: KubeObject[];
}

export const emptyPlan = (): SlicePlan => ({ create: [], update: [], remove: [] });

/** `pods` may be endpoints now. The slices given are those that exist and are not under deletion. */
export function planSlices(
  service: Service,
  pods: readonly Pod[],
  slices: readonly KubeObject[],
  zoneOf: (node: string) => string,
): SlicePlan {
  const families = service.families.length > 0 ? service.families : BOTH;
  const types = families.map(addressTypeOf);
  const plan = emptyPlan();
  plan.remove = slices.filter((slice) => !types.includes(String(slice["addressType"])));
  for (const family of families) {
    const existing = slices.filter((slice) => slice["addressType"] === addressTypeOf(family));
    const groups = groupEndpoints(service, pods, family, zoneOf);
    addTo(plan, planFamily(service, groups, existing, family));
  }
  return plan;
}

function planFamily(
  service: Service,
  groups: ReadonlyMap<string, EndpointGroup>,
  existing: readonly KubeObject[],
  family: IpFamily,
): SlicePlan {
  const labels = labelsOf(service);
  const plan = emptyPlan();
  const newOne = (ports: readonly JsonObject[]): KubeObject =>
    newSlice("Service", service, { labels, addressType: addressTypeOf(family), ports, endpoints: [] });
  const owned = new Map<string, KubeObject[]>([...groups.keys()].map((key) => [key, []]));
  for (const slice of existing) {
    const group = isOwnedBy(slice, service) ? owned.get(portsKey(objectsAt(slice, "ports"))) : undefined;
    if (group) group.push(slice);
    else plan.remove.push(slice);
  }
  for (const [key, group] of groups) {
    const fresh = (): KubeObject => newOne(group.ports);
    addTo(plan, fitEndpoints({ group, existing: owned.get(key) ?? [], labels, fresh }));
  }
  if (plan.remove.length === existing.length && plan.create.length === 0) {
    keepPlaceholder(plan, newOne([]));
  }
  return reuse(plan, (old, made) => (isOwnedBy(old, service) ? made.pop() : undefined));
}

/** A Service without endpoints keeps one empty placeholder slice. */
function keepPlaceholder(plan: SlicePlan, placeholder: KubeObject): void {
  const [only, another] = plan.remove;
  if (only && !another && isPlaceholder(only, placeholder)) plan.remove.length = 0;
  else plan.create.push(placeholder);
}

const isPlaceholder = (slice: KubeObject, placeholder: KubeObject): boolean =>
  objectsAt(slice, "ports").length === 0 &&
  objectsAt(slice, "endpoints").length === 0 &&
  equalJson(slice.metadata.labels, placeholder.metadata.labels) &&
  equalJson(slice.metadata.ownerReferences, placeholder.metadata.ownerReferences);

/**
 * Reuses slices planned for deletion: they get the content of slices planned for creation. `contentFor` removes it from
 * those.
 */
export function reuse(
  { create, update, remove }: SlicePlan,
  contentFor: (old: KubeObject, made: KubeObject[]) => KubeObject | undefined,
): SlicePlan {
  const made = [...create];
  const left = remove.filter((old) => {
    const next = contentFor(old, made);
    if (next) update.push({ old, next: onto(old, next) });
    return next === undefined;
  });
  return { create: made, update, remove: left };
}

/** The content of `next` with the identity of `old`. */
export function onto(old: KubeObject, next: KubeObject): KubeObject {
  const { labels, annotations, ownerReferences } = next.metadata;
  const told = { labels, ownerReferences, ...(annotations ? { annotations } : {}) } as Partial<ObjectMeta>; // all defined
  return { ...next, metadata: { ...old.metadata, ...told } };
}

function addTo(plan: SlicePlan, { create, update, remove }: SlicePlan): void {
  append(plan.create, create);
  append(plan.update, update);
  append(plan.remove, remove);
}

/** The default of kube-controller-manager's --max-endpoints-per-slice. */
export const ENDPOINTS_PER_SLICE_MAX = 100;

interface Fitting {
  readonly group: EndpointGroup;
  readonly existing: readonly KubeObject[];
  readonly labels: Readonly<Record<string, string>>;
  /** Creates an empty slice for the group. */
  readonly fresh: () => KubeObject;
}

interface Shelf {
  /** undefined: the slice is new. */
  readonly old: KubeObject | undefined;
  readonly endpoints: JsonObject[];
  changed: boolean;
}

/**
 * Packs endpoints with equal ports into slices and changes as few slices as possible. Endpoints stay in their slice.
 * Slices that change anyway are filled first, then the fullest slice that can take the whole rest. New slices are
 * created last.
 */
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

/** Keeps the desired endpoints of the slice with their new content and removes them from `waiting`. */
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

/** Places the remaining endpoints. Returns the new slices. */
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
