// The EndpointSlice controller: slices of Services with a selector, as kube-controller-manager maintains them. It sets
// no topology hints.
import { equalJson } from "../../../apimachinery/json/json.ts";
import type { KubeObject } from "../../../apimachinery/meta/object-meta.ts";
import { isNamespaceEnding, isOvertaken } from "../../../controller/api.ts";
import { defineController } from "../../../controller/define-controller.ts";
import type { KitWith } from "../../../controller/definition.ts";
import { errorText } from "../../../controller/logging.ts";
import {
  canBeEndpoint,
  SERVICE_WATCHES,
  type Service,
  ServiceWorld,
  TRIGGER_TIME,
  TriggerTimes,
} from "../endpoints/service.ts";
import { planSlices, type SlicePlan } from "./plan.ts";
import { CONTROLLER, SliceCache, slicesOf } from "./slice.ts";

type Names = "services" | "slices" | "pods" | "nodes";

export const endpointSlice = defineController({
  name: "endpointslice",
  summary: "EndpointSlices of Services that select pods",
  fieldManager: "kube-controller-manager",
  events: "endpoint-slice-controller",
  memory: (kit: KitWith<Names>) => ({
    world: new ServiceWorld(kit, kit),
    slices: new SliceCache(kit.client),
    times: new TriggerTimes(),
  }),
  watches: { ...SERVICE_WATCHES, slices: slicesOf(CONTROLLER) },
  async reconcile(key, kit) {
    const { world, slices, times } = kit.memory;
    const service = world.selecting(key);
    if (!service) {
      // Slices of a deleted Service are left to garbage collection. Those of a Service without a selector stay.
      times.forget(key);
      return;
    }
    const pods = await world.podsOf(service);
    const trigger = times.note(service, pods);
    // A pod on a missing node is likely about to be deleted. It counts again once the node exists.
    const known = pods.filter(({ nodeName }) => service.publishNotReady || world.hasNode(nodeName));
    const plan = planSlices(service, known, slices.of(key), (node) => world.zoneOf(node));
    try {
      await write(slices, service, plan, trigger.time);
    } catch (error) {
      trigger.undo();
      if (isNamespaceEnding(error)) return;
      if (!isOvertaken(error)) complain(kit, service, errorText(error));
      throw error;
    }
    const unplaced = pods.filter((pod) => canBeEndpoint(pod, true) && !known.includes(pod));
    for (const { name, nodeName } of unplaced) {
      complain(kit, service, `skipping Pod ${name} for Service ${key}: Node ${nodeName} Not Found`);
    }
  },
});

async function write(
  slices: SliceCache,
  service: Service,
  { create, update, remove }: SlicePlan,
  time: string | undefined,
): Promise<void> {
  if (!service.deleting) {
    for (const slice of create) await slices.create(stamped(slice, time));
  }
  for (const { old, next } of update) {
    const slice = stamped(next, time);
    if (!equalJson(old, slice)) await slices.update(slice);
  }
  for (const slice of remove) await slices.delete(slice);
}

function complain(
  { recordEvent }: KitWith<Names>,
  { key, namespace, name, uid }: Service,
  text: string,
): void {
  const subject = { apiVersion: "v1", kind: "Service", namespace, name, uid };
  const message = `Error updating Endpoint Slices for Service ${key}: ${text}`;
  recordEvent({ subject, type: "Warning", reason: "FailedToUpdateEndpointSlices", message }, key);
}

function stamped(slice: KubeObject, time: string | undefined): KubeObject {
  const { [TRIGGER_TIME]: _old, ...others } = slice.metadata.annotations ?? {};
  const annotations = time ? { ...others, [TRIGGER_TIME]: time } : others;
  const { annotations: _annotations, ...metadata } = slice.metadata;
  return {
    ...slice,
    metadata: Object.keys(annotations).length > 0 ? { ...metadata, annotations } : metadata,
  };
}
