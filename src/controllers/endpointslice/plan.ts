// What is to become of all slices of one Service.

import type { IpFamily } from "../../meta/ip.ts";
import { equalJson, objectsAt } from "../../meta/json.ts";
import { append } from "../../meta/lists.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import type { Pod } from "../endpoints/pod.ts";
import type { Service } from "../endpoints/service.ts";
import { type EndpointGroup, groupEndpoints, portsKey } from "./endpoint.ts";
import { fitEndpoints, type SlicePlan } from "./fit.ts";
import { addressTypeOf, isOwnedBy, labelsOf, newSlice } from "./slice.ts";

const BOTH: readonly IpFamily[] = [4, 6];

/** The pods are those that may be endpoints now; the slices those that are there and stay. */
export function planSlices(
  service: Service,
  pods: readonly Pod[],
  slices: readonly KubeObject[],
  zoneOf: (node: string) => string,
): SlicePlan {
  const families = service.families.length > 0 ? service.families : BOTH;
  const plan: SlicePlan = { create: [], update: [], remove: [] };
  const types = families.map(addressTypeOf);
  append(
    plan.remove,
    slices.filter((slice) => !types.includes(String(slice["addressType"]))),
  );
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
  const plan: SlicePlan = { create: [], update: [], remove: [] };
  const owned = new Map<string, KubeObject[]>([...groups.keys()].map((key) => [key, []]));
  for (const slice of existing) {
    const group = isOwnedBy(slice, service) ? owned.get(portsKey(objectsAt(slice, "ports"))) : undefined;
    if (group) group.push(slice);
    else plan.remove.push(slice);
  }
  for (const [key, group] of groups) {
    const fresh = (): KubeObject => newSlice(service, group.ports, family);
    addTo(plan, fitEndpoints({ group, existing: owned.get(key) ?? [], labels, fresh }));
  }
  if (plan.remove.length === existing.length && plan.create.length === 0) {
    keepPlaceholder(plan, newSlice(service, [], family));
  }
  return reuse(plan, service);
}

/** A Service that has no endpoints has one slice that says so. */
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

/** Slices that would go are given the content of those that would be made. */
function reuse({ create, update, remove }: SlicePlan, service: Service): SlicePlan {
  const made = [...create];
  const left: KubeObject[] = [];
  for (const old of remove) {
    const content = isOwnedBy(old, service) ? made.pop() : undefined;
    if (!content) {
      left.push(old);
      continue;
    }
    const { labels = {}, ownerReferences = [] } = content.metadata;
    update.push({ old, next: { ...content, metadata: { ...old.metadata, labels, ownerReferences } } });
  }
  return { create: made, update, remove: left };
}

function addTo(plan: SlicePlan, { create, update, remove }: SlicePlan): void {
  append(plan.create, create);
  append(plan.update, update);
  append(plan.remove, remove);
}
