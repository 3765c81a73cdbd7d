// EndpointSlices for Endpoints that somebody wrote by hand, as kube-controller-manager mirrors them: for Services
// without a selector, so that who reads slices only finds those endpoints as well.

import type { KubeObject } from "../../meta/object-meta.ts";
import { ENDPOINTS } from "../endpoints/controller.ts";
import { selectorOf } from "../endpoints/service.ts";
import { SliceCache, slicesOf } from "../endpointslice/slice-cache.ts";
import { isGoing, isNamespaceEnding, keyOfObject, SERVICES, subjectOf } from "../kit/api.ts";
import { defineController } from "../kit/define-controller.ts";
import type { KitWith } from "../kit/definition.ts";
import {
  ADDRESSES_PER_SUBSET_MAX,
  CONTROLLER,
  type Mirrored,
  mirrorEndpoints,
  planMirror,
} from "./mirror.ts";

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

/** The Endpoints, if they are there for a Service that selects no pods, and want to be mirrored. */
function toMirror(key: string, { services, endpoints }: KitWith<Names>): KubeObject | undefined {
  const service = services.get(key);
  const found = endpoints.get(key);
  if (!service || !found || selectorOf(service)) return undefined;
  const { labels, annotations } = found.metadata;
  const unwanted = labels?.[SKIP_MIRROR] === "true" || annotations?.[LEADER] !== undefined;
  return unwanted ? undefined : found;
}

function complain({ say }: KitWith<Names>, object: KubeObject, { invalid, skipped }: Mirrored): void {
  const subject = { ...subjectOf(object), apiVersion: "v1", kind: "Endpoints" };
  const warn = (reason: string, message: string): void =>
    say({ subject, type: "Warning", reason, message }, keyOfObject(object));
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
