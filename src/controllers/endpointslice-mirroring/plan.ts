// What is to become of the slices that mirror one Endpoints object.

import { equalJson, objectsAt } from "../../meta/json.ts";
import { append } from "../../meta/lists.ts";
import type { KubeObject, ObjectMeta } from "../../meta/object-meta.ts";
import { TRIGGER_TIME } from "../endpoints/trigger-times.ts";
import { endpointKey } from "../endpointslice/endpoint.ts";
import type { SlicePlan } from "../endpointslice/fit.ts";
import { namePrefix } from "../endpointslice/slice.ts";
import { MANAGED_BY, SERVICE_NAME } from "../endpointslice/slice-cache.ts";
import { groupKey, type Mirrored, type MirroredGroup } from "./mirrored.ts";

export const CONTROLLER = "endpointslicemirroring-controller.k8s.io";
/** Annotations of Endpoints that say nothing about a slice. */
const OWN_ANNOTATIONS = [TRIGGER_TIME, "kubectl.kubernetes.io/last-applied-configuration"];

export function planMirror(
  endpoints: KubeObject,
  { groups }: Pick<Mirrored, "groups">,
  slices: readonly KubeObject[],
): SlicePlan {
  const plan: SlicePlan = { create: [], update: [], remove: [] };
  const existing = new Map<string, KubeObject[]>();
  for (const slice of slices) {
    const key = groupKey(String(slice["addressType"]), objectsAt(slice, "ports"));
    const known = existing.get(key);
    if (known) known.push(slice);
    else existing.set(key, [slice]);
  }
  for (const [key, group] of groups) {
    const [old, ...more] = existing.get(key) ?? [];
    append(plan.remove, more);
    const next = mirrorSlice(endpoints, group);
    if (!old) plan.create.push(next);
    else if (!saysTheSame(old, next)) plan.update.push({ old, next: onto(old, next) });
  }
  for (const [key, known] of existing) if (!groups.has(key)) append(plan.remove, known);
  return reuse(plan);
}

/** The slice as it is to be, without a name of its own. */
function mirrorSlice({ metadata }: KubeObject, group: MirroredGroup): KubeObject {
  const { name = "", namespace = "", uid = "", labels = {} } = metadata;
  const annotations = Object.entries(metadata.annotations ?? {}).filter(
    ([key]) => !OWN_ANNOTATIONS.includes(key),
  );
  return {
    apiVersion: "discovery.k8s.io/v1",
    kind: "EndpointSlice",
    metadata: {
      generateName: namePrefix(name),
      namespace,
      labels: { ...labels, [SERVICE_NAME]: name, [MANAGED_BY]: CONTROLLER },
      annotations: Object.fromEntries(annotations),
      ownerReferences: [
        { apiVersion: "v1", kind: "Endpoints", name, uid, controller: true, blockOwnerDeletion: true },
      ],
    },
    addressType: group.addressType,
    endpoints: [...group.endpoints.values()],
    ports: [...group.ports],
  };
}

function saysTheSame(old: KubeObject, next: KubeObject): boolean {
  const told = (slice: KubeObject): unknown => [
    slice.metadata.labels ?? {},
    slice.metadata.annotations ?? {},
    slice.metadata.ownerReferences ?? [],
    Object.fromEntries(objectsAt(slice, "endpoints").map((endpoint) => [endpointKey(endpoint), endpoint])),
  ];
  return equalJson(told(old), told(next));
}

/** The content of the one with the identity of the other. */
function onto(old: KubeObject, next: KubeObject): KubeObject {
  const { labels, annotations, ownerReferences } = next.metadata;
  const metadata = { ...old.metadata, labels, annotations, ownerReferences } as ObjectMeta; // all three are there
  return { ...next, metadata };
}

/** A slice that would go takes the content of one that would be made, if their addresses are of one family. */
function reuse({ create, update, remove }: SlicePlan): SlicePlan {
  const made = [...create];
  const left = remove.filter((old) => {
    const at = made.findIndex((next) => next["addressType"] === old["addressType"]);
    const [next] = at < 0 ? [] : made.splice(at, 1);
    if (next) update.push({ old, next: onto(old, next) });
    return !next;
  });
  return { create: made, update, remove: left };
}
