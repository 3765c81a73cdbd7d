// The EndpointSlices of Services that select pods, as kube-controller-manager keeps them. Hints for routing by zone are
// not given.
import type { Informer } from "../../client/informer.ts";
import { equalJson } from "../../meta/json.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import { canBeEndpoint, type Pod } from "../endpoints/pod.ts";
import type { Service } from "../endpoints/service.ts";
import { ServiceWorld } from "../endpoints/service-world.ts";
import { TRIGGER_TIME, TriggerTimes } from "../endpoints/trigger-times.ts";
import { ReconcileLoop } from "../kit/reconcile-loop.ts";
import { isNamespaceEnding, isOvertaken } from "../runtime/api-errors.ts";
import type { Controller, ControllerDeps } from "../runtime/controller.ts";
import type { Occurrence } from "../runtime/events/event-correlator.ts";
import { EventRecorder } from "../runtime/events/event-recorder.ts";
import { errorText } from "../runtime/logging/logger.ts";
import type { SlicePlan } from "./fit.ts";
import { planSlices } from "./plan.ts";
import { CONTROLLER } from "./slice.ts";
import { ENDPOINT_SLICES, MANAGED_BY, SliceCache } from "./slice-cache.ts";

const NAME = "endpointslice";
const COMPONENT = "endpoint-slice-controller";

export function createEndpointSliceController(deps: ControllerDeps): Controller {
  return new EndpointSliceController(deps).loop;
}

class EndpointSliceController {
  readonly loop: ReconcileLoop;
  readonly #world: ServiceWorld;
  readonly #slices: SliceCache;
  readonly #times = new TriggerTimes();
  readonly #recorder: EventRecorder;

  constructor(deps: ControllerDeps) {
    const { client, clock, log } = deps;
    const informers: Informer[] = [];
    this.loop = new ReconcileLoop({
      name: NAME,
      deps,
      informers,
      reconcile: (key) => this.#reconcile(key),
      settle: async () => {
        await this.#world.caughtUp();
        await this.#recorder.flushed();
      },
    });
    const { queue, signal } = this.loop;
    const changed = (key: string): void => queue.add(key);
    this.#recorder = new EventRecorder({ client, clock, log, component: COMPONENT, signal });
    this.#world = new ServiceWorld({ controller: NAME, deps, signal, withNodes: true, changed });
    const slices = this.#world.informer(ENDPOINT_SLICES, { labelSelector: `${MANAGED_BY}=${CONTROLLER}` });
    this.#slices = new SliceCache(client, slices, changed);
    informers.push(this.#world.services, slices);
  }

  async #reconcile(key: string): Promise<void> {
    const service = this.#world.selecting(key);
    if (!service) {
      // Slices of a Service that is gone have it as their owner; of one that selects no pods any more they stay.
      this.#times.forget(key);
      return;
    }
    const pods = await this.#world.podsOf(service);
    const trigger = this.#times.note(service, pods);
    const known = pods.filter((pod) => this.#isPlaced(service, pod));
    const plan = planSlices(service, known, this.#slices.of(key), (node) => this.#world.zoneOf(node));
    try {
      await this.#write(service, plan, trigger.time);
    } catch (error) {
      trigger.undo();
      if (isNamespaceEnding(error)) return;
      if (!isOvertaken(error)) this.#complain(service, errorText(error));
      throw error;
    }
    const unplaced = pods.filter((pod) => canBeEndpoint(pod, true) && !known.includes(pod));
    for (const { name, nodeName } of unplaced) {
      this.#complain(service, `skipping Pod ${name} for Service ${key}: Node ${nodeName} Not Found`);
    }
  }

  /** A pod whose node is not there is most likely about to go; it counts again when the node is there. */
  #isPlaced({ publishNotReady }: Service, { nodeName }: Pod): boolean {
    return publishNotReady || this.#world.hasNode(nodeName);
  }

  async #write(
    service: Service,
    { create, update, remove }: SlicePlan,
    time: string | undefined,
  ): Promise<void> {
    if (!service.deleting) {
      for (const slice of create) await this.#slices.create(stamped(slice, time));
    }
    for (const { old, next } of update) {
      const slice = stamped(next, time);
      if (!equalJson(old, slice)) await this.#slices.update(slice);
    }
    for (const slice of remove) await this.#slices.delete(slice);
  }

  #complain({ key, namespace, name, uid }: Service, text: string): void {
    const occurrence: Occurrence = {
      subject: { apiVersion: "v1", kind: "Service", namespace, name, uid },
      type: "Warning",
      reason: "FailedToUpdateEndpointSlices",
      message: `Error updating Endpoint Slices for Service ${key}: ${text}`,
    };
    this.#recorder.record(occurrence, { atStart: this.loop.isFirstLook(key) });
  }
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
