// The Endpoints of Services that select pods, as kube-controller-manager keeps them. EndpointSlices say the same and
// more; there is another controller for them.
import type { ResourceName } from "../../client/client.ts";
import type { Informer } from "../../client/informer.ts";
import { equalJson } from "../../meta/json.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import { ReconcileLoop } from "../kit/reconcile-loop.ts";
import { isNamespaceEnding, isOvertaken, isReason } from "../runtime/api-errors.ts";
import type { Controller, ControllerDeps } from "../runtime/controller.ts";
import type { Occurrence } from "../runtime/events/event-correlator.ts";
import { EventRecorder } from "../runtime/events/event-recorder.ts";
import { errorText } from "../runtime/logging/logger.ts";
import { HEADLESS, type Service } from "./service.ts";
import { ServiceWorld } from "./service-world.ts";
import { desiredSubsets, truncated } from "./subsets.ts";
import { TRIGGER_TIME, TriggerTimes } from "./trigger-times.ts";

export const ENDPOINTS: ResourceName = { group: "", version: "v1", resource: "endpoints" };
const COMPONENT = "endpoint-controller";
const MANAGED_BY = "endpoints.kubernetes.io/managed-by";
const OVER_CAPACITY = "endpoints.kubernetes.io/over-capacity";
const NAME = "endpoints";

export function createEndpointsController(deps: ControllerDeps): Controller {
  return new EndpointsController(deps).loop;
}

class EndpointsController {
  readonly loop: ReconcileLoop;
  readonly #deps: ControllerDeps;
  readonly #world: ServiceWorld;
  readonly #endpoints: Informer;
  readonly #times = new TriggerTimes();
  readonly #recorder: EventRecorder;
  /** Services that were seen to go, whose Endpoints go with them. */
  readonly #ended = new Set<string>();

  constructor(deps: ControllerDeps) {
    this.#deps = deps;
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
    this.#recorder = new EventRecorder({ client, clock, log, component: COMPONENT, signal });
    this.#world = new ServiceWorld({ controller: NAME, deps, signal, changed: (key) => queue.add(key) });
    this.#endpoints = this.#world.informer(ENDPOINTS);
    informers.push(this.#world.services, this.#endpoints);
    this.#world.services.addHandlers({ delete: (service) => this.#ended.add(keyOf(service)) });
    const lookAt = (endpoints: KubeObject): void => {
      const key = keyOf(endpoints);
      if (isOurs(endpoints) || this.#world.selecting(key)) queue.add(key);
    };
    this.#endpoints.addHandlers({ add: lookAt, update: (_old, next) => lookAt(next), delete: lookAt });
  }

  async #reconcile(key: string): Promise<void> {
    if (!this.#world.services.get(key)) {
      await this.#remove(key);
      return;
    }
    this.#ended.delete(key);
    const service = this.#world.selecting(key);
    if (!service) return;
    const pods = await this.#world.podsOf(service);
    const old = await this.#read(service);
    const trigger = this.#times.note(service, pods);
    const all = desiredSubsets(service, pods);
    const fewer = truncated(all);
    const next = endpointsOf(service, old, {
      subsets: fewer ?? all,
      overCapacity: fewer !== undefined,
      triggerTime: trigger.time,
    });
    if (old && saysTheSame(old, next)) return;
    try {
      await this.#write(service, old, next);
    } catch (error) {
      trigger.undo();
      throw error;
    }
  }

  async #read({ namespace, name }: Service): Promise<KubeObject | undefined> {
    try {
      return await this.#deps.client.get(ENDPOINTS, { namespace, name });
    } catch (error) {
      if (isReason(error, "NotFound")) return undefined;
      throw error;
    }
  }

  async #write(service: Service, old: KubeObject | undefined, next: KubeObject): Promise<void> {
    const { client } = this.#deps;
    try {
      await (old ? client.update(ENDPOINTS, next) : client.create(ENDPOINTS, next));
    } catch (error) {
      if (isNamespaceEnding(error)) return;
      if (!isOvertaken(error)) this.#complain(service, next, old !== undefined, error);
      throw error;
    }
  }

  #complain({ key, name }: Service, { metadata }: KubeObject, known: boolean, error: unknown): void {
    const { namespace = "", uid } = metadata;
    const subject = { apiVersion: "v1", kind: "Endpoints", namespace, name, ...(uid ? { uid } : {}) };
    const text = errorText(error);
    const occurrence: Occurrence = {
      subject,
      type: "Warning",
      reason: known ? "FailedToUpdateEndpoint" : "FailedToCreateEndpoint",
      message: known
        ? `Failed to update endpoint ${key}: ${text}`
        : `Failed to create endpoint for service ${key}: ${text}`,
    };
    this.#recorder.record(occurrence, { atStart: this.loop.isFirstLook(key) });
  }

  /** The Service is gone. Endpoints that somebody else made where there never was a Service are left alone. */
  async #remove(key: string): Promise<void> {
    this.#times.forget(key);
    const ended = this.#ended.delete(key);
    const endpoints = this.#endpoints.get(key);
    if (!endpoints || !(ended || isOurs(endpoints))) return;
    const { namespace = "", name = "", uid = "" } = endpoints.metadata;
    try {
      await this.#deps.client.delete(ENDPOINTS, { namespace, name }, { uid });
    } catch (error) {
      if (!isOvertaken(error)) throw error;
    }
  }
}

const keyOf = ({ metadata: { namespace = "", name = "" } }: KubeObject): string => `${namespace}/${name}`;

const isOurs = ({ metadata }: KubeObject): boolean => metadata.labels?.[MANAGED_BY] === COMPONENT;

interface Content {
  readonly subsets: readonly unknown[];
  readonly overCapacity: boolean;
  readonly triggerTime: string | undefined;
}

/** The Endpoints as they are to be. What others put there beside labels and subsets stays. */
function endpointsOf(service: Service, old: KubeObject | undefined, content: Content): KubeObject {
  const { namespace, name } = service;
  const { [HEADLESS]: _headless, ...labels } = service.labels;
  const { [TRIGGER_TIME]: _time, [OVER_CAPACITY]: _over, ...annotations } = old?.metadata.annotations ?? {};
  const { subsets: _subsets, ...rest }: Partial<KubeObject> = old ?? { apiVersion: "v1", kind: "Endpoints" };
  return {
    ...rest,
    metadata: {
      ...old?.metadata,
      namespace,
      name,
      labels: { ...labels, ...(service.withoutAddress ? { [HEADLESS]: "" } : {}), [MANAGED_BY]: COMPONENT },
      annotations: {
        ...annotations,
        ...(content.triggerTime ? { [TRIGGER_TIME]: content.triggerTime } : {}),
        ...(content.overCapacity ? { [OVER_CAPACITY]: "truncated" } : {}),
      },
    },
    ...(content.subsets.length > 0 ? { subsets: content.subsets } : {}),
  };
}

/** The time of the change is no change by itself. */
function saysTheSame(old: KubeObject, next: KubeObject): boolean {
  const over = ({ metadata }: KubeObject): unknown => metadata.annotations?.[OVER_CAPACITY];
  return (
    over(old) === over(next) &&
    equalJson(old.metadata.labels ?? {}, next.metadata.labels ?? {}) &&
    equalJson(old["subsets"] ?? [], next["subsets"] ?? [])
  );
}
