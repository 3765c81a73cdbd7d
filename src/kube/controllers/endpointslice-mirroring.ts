// Mirrors manually written Endpoints of Services without a selector into EndpointSlices, as kube-controller-manager
// does. Clients that read only slices then find those endpoints as well.

import { equalJson, type JsonObject, objectsAt, textAt } from "../../apimachinery/json/json.ts";
import { parseIp } from "../../apimachinery/meta/ip.ts";
import { append } from "../../apimachinery/meta/lists.ts";
import { NestedMap } from "../../apimachinery/meta/nested-map.ts";
import type { KubeObject } from "../../apimachinery/meta/object-meta.ts";
import { isGoing, isNamespaceEnding, keyOfObject, SERVICES, subjectOf } from "../../controller/api.ts";
import { defineController } from "../../controller/define-controller.ts";
import type { KitWith } from "../../controller/definition.ts";
import { ENDPOINTS } from "./endpoints/controller.ts";
import { selectorOf, TRIGGER_TIME } from "./endpoints/service.ts";
import { offersOf, repack } from "./endpoints/subsets.ts";
import { emptyPlan, onto, reuse, type SlicePlan } from "./endpointslice/plan.ts";
import {
  addressTypeOf,
  type EndpointGroup,
  endpointKey,
  MANAGED_BY,
  newSlice,
  portsKey,
  SERVICE_NAME,
  SliceCache,
  slicesOf,
} from "./endpointslice/slice.ts";

export const CONTROLLER = "endpointslicemirroring-controller.k8s.io";
/** Annotations of Endpoints that are not copied to a slice. */
const OWN_ANNOTATIONS = [TRIGGER_TIME, "kubectl.kubernetes.io/last-applied-configuration"];
/** The default of kube-controller-manager's --mirroring-max-endpoints-per-subset. */
export const ADDRESSES_PER_SUBSET_MAX = 1000;
const SKIP_MIRROR = "endpointslice.kubernetes.io/skip-mirror";
const LEADER = "control-plane.alpha.kubernetes.io/leader";

type Names = "services" | "endpoints" | "slices";

export const endpointSliceMirroring = defineController({
  name: "endpointslice-mirroring",
  summary: "EndpointSlices for Endpoints that somebody wrote",
  fieldManager: "kube-controller-manager",
  events: "endpoint-slice-mirroring-controller",
  memory: ({ client }: KitWith<Names>) => ({ slices: new SliceCache(client) }),
  watches: {
    services: { resource: SERVICES, facts: selectorOf },
    endpoints: { resource: ENDPOINTS },
    slices: slicesOf(CONTROLLER),
  },
  async reconcile(key, kit) {
    const { slices } = kit.memory;
    const there = slices.of(key);
    const endpoints = toMirror(key, kit);
    if (!endpoints) {
      for (const slice of there) await slices.delete(slice);
      return;
    }
    const mirrored = mirrorEndpoints(endpoints);
    complain(kit, endpoints, mirrored);
    const plan = planMirror(endpoints, mirrored, there);
    try {
      for (const slice of isGoing(endpoints) ? [] : plan.create) await slices.create(slice);
      for (const { next } of plan.update) await slices.update(next);
      for (const slice of plan.remove) await slices.delete(slice);
    } catch (error) {
      if (!isNamespaceEnding(error)) throw error;
    }
  },
});

/** The Endpoints, if they exist, belong to a Service without a selector, and do not opt out of mirroring. */
function toMirror(key: string, { services, endpoints }: KitWith<Names>): KubeObject | undefined {
  const service = services.get(key);
  const found = endpoints.get(key);
  if (!service || !found || selectorOf(service)) return undefined;
  const { labels, annotations } = found.metadata;
  const unwanted = labels?.[SKIP_MIRROR] === "true" || annotations?.[LEADER] !== undefined;
  return unwanted ? undefined : found;
}

function complain(
  { recordEvent }: KitWith<Names>,
  object: KubeObject,
  { invalid, skipped }: ReturnType<typeof mirrorEndpoints>,
): void {
  const subject = { ...subjectOf(object), apiVersion: "v1", kind: "Endpoints" };
  const warn = (reason: string, message: string): void =>
    recordEvent({ subject, type: "Warning", reason, message }, keyOfObject(object));
  if (invalid > 0) {
    warn("InvalidIPAddress", `Skipped ${invalid} invalid IP addresses when mirroring to EndpointSlices`);
  }
  if (skipped > invalid) {
    const max = ADDRESSES_PER_SUBSET_MAX;
    warn(
      "TooManyAddressesToMirror",
      `A max of ${max} addresses can be mirrored to EndpointSlices per Endpoints subset. ${skipped} addresses were skipped`,
    );
  }
}

interface MirroredGroup extends EndpointGroup {
  readonly addressType: string;
}

const groupKey = (addressType: string, ports: readonly JsonObject[]): string =>
  `${addressType} ${portsKey(ports)}`;

export function mirrorEndpoints(endpoints: KubeObject) {
  /** By groupKey. */
  const groups = new Map<string, MirroredGroup>();
  /** Number of addresses that cannot be parsed. */
  let invalid = 0;
  /** Number of addresses that are skipped, including the invalid ones. */
  let skipped = 0;
  for (const subset of repack(offersOf(objectsAt(endpoints, "subsets")))) {
    const ports = (subset.ports ?? []).map(toSlicePort);
    const offered = [
      ...(subset.addresses ?? []).map((address) => ({ address, ready: true })),
      ...(subset.notReadyAddresses ?? []).map((address) => ({ address, ready: false })),
    ];
    let added = 0;
    for (const { address, ready } of offered) {
      if (added >= ADDRESSES_PER_SUBSET_MAX) break;
      const family = parseIp(textAt(address, "ip"))?.family;
      if (!family) {
        invalid++;
        continue;
      }
      added++;
      const endpoint = toEndpoint(address, ready);
      const addressType = addressTypeOf(family);
      const key = groupKey(addressType, ports);
      const group = groups.get(key) ?? { addressType, ports, endpoints: new Map<string, JsonObject>() };
      groups.set(key, group);
      group.endpoints.set(endpointKey(endpoint), endpoint);
    }
    skipped += offered.length - added;
  }
  return { groups, invalid, skipped };
}

/** Endpoints do not report `serving` for addresses that are not ready. */
function toEndpoint(address: JsonObject, ready: boolean): JsonObject {
  const { ip, hostname, nodeName, targetRef } = address;
  return {
    addresses: [ip],
    conditions: { ready },
    ...(hostname ? { hostname } : {}),
    ...(targetRef ? { targetRef } : {}),
    ...(nodeName === undefined ? {} : { nodeName }),
  };
}

const toSlicePort = (port: JsonObject): JsonObject => ({
  name: textAt(port, "name"),
  protocol: textAt(port, "protocol") || "TCP",
  port: port["port"],
  ...(port["appProtocol"] === undefined ? {} : { appProtocol: port["appProtocol"] }),
});

export function planMirror(
  endpoints: KubeObject,
  { groups }: { readonly groups: ReadonlyMap<string, MirroredGroup> },
  slices: readonly KubeObject[],
): SlicePlan {
  const plan = emptyPlan();
  const existing = new NestedMap<KubeObject>();
  for (const slice of slices) {
    const key = groupKey(String(slice["addressType"]), objectsAt(slice, "ports"));
    existing.set(key, slice.metadata.name ?? "", slice);
  }
  for (const [key, group] of groups) {
    const [old, ...more] = existing.of(key).values();
    existing.deleteAll(key);
    append(plan.remove, more);
    const next = mirrorSlice(endpoints, group);
    if (!old) plan.create.push(next);
    else if (!saysTheSame(old, next)) plan.update.push({ old, next: onto(old, next) });
  }
  for (const key of existing.keys()) append(plan.remove, existing.of(key).values());
  return reuse(plan, (old, made) => {
    const at = made.findIndex((next) => next["addressType"] === old["addressType"]);
    return at < 0 ? undefined : made.splice(at, 1)[0];
  });
}

/** The desired slice, without its generated name. */
function mirrorSlice({ metadata }: KubeObject, { addressType, ports, endpoints }: MirroredGroup): KubeObject {
  const { name = "", namespace = "", uid = "" } = metadata;
  const labels = { ...metadata.labels, [SERVICE_NAME]: name, [MANAGED_BY]: CONTROLLER };
  const content = { labels, addressType, ports, endpoints: [...endpoints.values()] };
  const slice = newSlice("Endpoints", { name, namespace, uid }, content);
  const annotations = Object.entries(metadata.annotations ?? {}).filter(
    ([key]) => !OWN_ANNOTATIONS.includes(key),
  );
  return { ...slice, metadata: { ...slice.metadata, annotations: Object.fromEntries(annotations) } };
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
