// EndpointSlices for Endpoints that somebody wrote by hand, as kube-controller-manager mirrors them: for Services
// without a selector, so that who reads slices only finds those endpoints as well.
import type { Informer } from "../../client/informer.ts";
import { equalJson, objectAt } from "../../meta/json.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import { ENDPOINTS } from "../endpoints/controller.ts";
import { hasSelector } from "../endpoints/service.ts";
import { ENDPOINT_SLICES, MANAGED_BY, SliceCache } from "../endpointslice/slice-cache.ts";
import { informerFor } from "../kit/informers.ts";
import { ReconcileLoop } from "../kit/reconcile-loop.ts";
import { isNamespaceEnding } from "../runtime/api-errors.ts";
import type { Controller, ControllerDeps } from "../runtime/controller.ts";
import { EventRecorder } from "../runtime/events/event-recorder.ts";
import { ADDRESSES_PER_SUBSET_MAX, type Mirrored, mirrorEndpoints } from "./mirrored.ts";
import { CONTROLLER, planMirror } from "./plan.ts";

const NAME = "endpointslice-mirroring";
const COMPONENT = "endpoint-slice-mirroring-controller";
const SKIP_MIRROR = "endpointslice.kubernetes.io/skip-mirror";
const LEADER = "control-plane.alpha.kubernetes.io/leader";
const SERVICES = { group: "", version: "v1", resource: "services" };

export function createEndpointSliceMirroringController(deps: ControllerDeps): Controller {
  return new MirroringController(deps).loop;
}

class MirroringController {
  readonly loop: ReconcileLoop;
  readonly #endpoints: Informer;
  readonly #services: Informer;
  readonly #slices: SliceCache;
  readonly #recorder: EventRecorder;

  constructor(deps: ControllerDeps) {
    const { client, clock, log } = deps;
    const labelSelector = `${MANAGED_BY}=${CONTROLLER}`;
    const slices = informerFor(deps, NAME, ENDPOINT_SLICES, { labelSelector });
    this.#endpoints = informerFor(deps, NAME, ENDPOINTS);
    this.#services = informerFor(deps, NAME, SERVICES);
    this.loop = new ReconcileLoop({
      name: NAME,
      deps,
      informers: [this.#services, this.#endpoints, slices],
      reconcile: (key) => this.#reconcile(key),
      settle: () => this.#recorder.flushed(),
    });
    const { queue, signal } = this.loop;
    this.#recorder = new EventRecorder({ client, clock, log, component: COMPONENT, signal });
    this.#slices = new SliceCache(client, slices, (key) => queue.add(key));
    const add = (object: KubeObject): void => queue.add(keyOf(object));
    this.#endpoints.addHandlers({ add, update: (_old, next) => add(next), delete: add });
    this.#services.addHandlers({
      add,
      update: (old, next) => {
        if (!equalJson(selectorOf(old), selectorOf(next))) add(next);
      },
      delete: add,
    });
  }

  async #reconcile(key: string): Promise<void> {
    const slices = this.#slices.of(key);
    const endpoints = this.#toMirror(key);
    if (!endpoints) {
      for (const slice of slices) await this.#slices.delete(slice);
      return;
    }
    const mirrored = mirrorEndpoints(endpoints);
    this.#complain(endpoints, mirrored);
    const plan = planMirror(endpoints, mirrored, slices);
    try {
      if (endpoints.metadata.deletionTimestamp === undefined) {
        for (const slice of plan.create) await this.#slices.create(slice);
      }
      for (const { next } of plan.update) await this.#slices.update(next);
      for (const slice of plan.remove) await this.#slices.delete(slice);
    } catch (error) {
      if (!isNamespaceEnding(error)) throw error;
    }
  }

  /** The Endpoints, if they are there for a Service that selects no pods, and want to be mirrored. */
  #toMirror(key: string): KubeObject | undefined {
    const service = this.#services.get(key);
    const endpoints = this.#endpoints.get(key);
    if (!service || !endpoints || hasSelector(service)) return undefined;
    const { labels, annotations } = endpoints.metadata;
    const unwanted = labels?.[SKIP_MIRROR] === "true" || annotations?.[LEADER] !== undefined;
    return unwanted ? undefined : endpoints;
  }

  #complain({ metadata }: KubeObject, { invalid, skipped }: Mirrored): void {
    const { namespace = "", name = "", uid = "" } = metadata;
    const subject = { apiVersion: "v1", kind: "Endpoints", namespace, name, uid };
    const atStart = this.loop.isFirstLook(`${namespace}/${name}`);
    const say = (reason: string, message: string): void =>
      this.#recorder.record({ subject, type: "Warning", reason, message }, { atStart });
    if (invalid > 0) {
      say("InvalidIPAddress", `Skipped ${invalid} invalid IP addresses when mirroring to EndpointSlices`);
    }
    if (skipped > invalid) {
      const max = ADDRESSES_PER_SUBSET_MAX;
      say(
        "TooManyAddressesToMirror",
        `A max of ${max} addresses can be mirrored to EndpointSlices per Endpoints subset. ${skipped} addresses were skipped`,
      );
    }
  }
}

const keyOf = ({ metadata: { namespace = "", name = "" } }: KubeObject): string => `${namespace}/${name}`;

const selectorOf = (service: KubeObject): unknown => objectAt(service, "spec")?.["selector"];
