// Pods on nodes that nobody answers for: one that was deleted ends when its grace period is over, because no kubelet
// will confirm that its containers have stopped. Without that neither the pod nor its namespace would ever go.
import type { ResourceName } from "../../client/client.ts";
import type { Informer } from "../../client/informer.ts";
import { objectAt } from "../../meta/json.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import { ignoring } from "../runtime/api-errors.ts";
import type { Controller, ControllerDeps } from "../runtime/controller.ts";
import { textAt } from "../runtime/fields.ts";
import { informerFor } from "../runtime/informers.ts";
import { ReconcileLoop } from "../runtime/reconcile-loop.ts";
import { LEASE_NAMESPACE, vouchedUntil } from "./vouching.ts";

export const POD_TERMINATION = "pod-termination";
const PODS: ResourceName = { group: "", version: "v1", resource: "pods" };
const NODES: ResourceName = { group: "", version: "v1", resource: "nodes" };
const LEASES: ResourceName = { group: "coordination.k8s.io", version: "v1", resource: "leases" };
/** Another of its name is there, or none. */
const GONE = [404, 409];
/** Longer pauses are cut into such ones: a timer holds no more than about 24 days. */
const LOOK_AGAIN_MS_MAX = 3_600_000;

export function createPodTermination(deps: ControllerDeps): Controller {
  return new PodTermination(deps).loop;
}

class PodTermination {
  readonly loop: ReconcileLoop;
  readonly #deps: ControllerDeps;
  readonly #pods: Informer;
  readonly #nodes: Informer;
  readonly #leases: Informer;

  constructor(deps: ControllerDeps) {
    this.#deps = deps;
    this.#pods = informerFor(deps, POD_TERMINATION, PODS);
    this.#nodes = informerFor(deps, POD_TERMINATION, NODES);
    this.#leases = informerFor(deps, POD_TERMINATION, LEASES, { namespace: LEASE_NAMESPACE });
    this.loop = new ReconcileLoop({
      name: POD_TERMINATION,
      deps,
      informers: [this.#nodes, this.#leases, this.#pods],
      reconcile: (key) => this.#reconcile(key),
    });
    const take = (pod: KubeObject): void => {
      if (isEnding(pod)) this.loop.queue.add(keyOf(pod));
    };
    this.#pods.addHandlers({ add: take, update: (_old, pod) => take(pod) });
    const left = ({ metadata }: KubeObject): void => this.#takeThoseOn(metadata.name ?? "");
    this.#nodes.addHandlers({ update: (_old, node) => left(node), delete: left });
    this.#leases.addHandlers({ update: (_old, lease) => left(lease), delete: left });
  }

  /** A lease that is renewed is told of every ten seconds: only pods that end are looked at. */
  #takeThoseOn(node: string): void {
    for (const pod of this.#pods.list()) {
      if (isEnding(pod) && nodeOf(pod) === node) this.loop.queue.add(keyOf(pod));
    }
  }

  async #reconcile(key: string): Promise<void> {
    const pod = this.#pods.get(key);
    if (pod === undefined || !isEnding(pod)) return;
    const { client, clock } = this.#deps;
    const waitMs = this.#endsAt(pod) - clock.now();
    if (waitMs === Number.POSITIVE_INFINITY) return; // until the Node says something else
    if (waitMs > 0) {
      this.loop.queue.addAfter(key, Math.min(waitMs, LOOK_AGAIN_MS_MAX));
      return;
    }
    const { namespace = "", name = "", uid } = pod.metadata;
    const options = { ...(uid ? { uid } : {}), gracePeriodSeconds: 0 };
    await ignoring(GONE, client.delete(PODS, { namespace, name }, options));
  }

  /** When its grace is over and nobody answers for its node. */
  #endsAt(pod: KubeObject): number {
    const node = nodeOf(pod);
    const until = vouchedUntil(this.#nodes.get(node), this.#leases.get(`${LEASE_NAMESPACE}/${node}`));
    return Math.max(until, Date.parse(pod.metadata.deletionTimestamp ?? ""));
  }
}

/** It has been deleted, and has time left that somebody has to end. */
function isEnding(pod: KubeObject): boolean {
  const { deletionTimestamp, deletionGracePeriodSeconds = 0 } = pod.metadata;
  return deletionTimestamp !== undefined && deletionGracePeriodSeconds > 0 && nodeOf(pod) !== "";
}

const nodeOf = (pod: KubeObject): string => textAt(objectAt(pod, "spec"), "nodeName");

const keyOf = ({ metadata }: KubeObject): string => `${metadata.namespace ?? ""}/${metadata.name ?? ""}`;
