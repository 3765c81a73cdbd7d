// Pods on nodes that nobody answers for: one that was deleted ends when its grace period is over, because no kubelet
// will confirm that its containers have stopped. Without that neither the pod nor its namespace would ever go.

import type { KubeObject } from "../meta/object-meta.ts";
import { hasFailed } from "../verdict/assignment/node-state.ts";
import { deleteObject, keyOfObject, NODES, PODS } from "./kit/api.ts";
import { defineController } from "./kit/define-controller.ts";
import type { Change, Keys } from "./kit/definition.ts";
import { hasAgent, LEASE_NAMESPACE, LEASES, leaseMs, renewedMs } from "./kit/nodes.ts";
import { nodeOf } from "./kit/pods.ts";

/** Longer pauses are cut into such ones: a timer holds no more than about 24 days. */
const LOOK_AGAIN_MS_MAX = 3_600_000;

export const podTermination = defineController({
  name: "pod-termination",
  summary: "ends deleted pods whose grace period is over on nodes without a kubelet",
  fieldManager: "kubelet",
  memory: () => new EndingPods(),
  watches: {
    nodes: {
      resource: NODES,
      on: ["update", "delete"],
      toKeys: ({ object }, { memory }) => memory.on(object.metadata.name),
    },
    leases: {
      resource: LEASES,
      list: { namespace: LEASE_NAMESPACE },
      on: ["update", "delete"],
      toKeys: ({ object }, { memory }) => memory.on(object.metadata.name),
    },
    pods: {
      resource: PODS,
      take: (change, { memory }) => memory.take(change),
    },
  },
  async reconcile(key, { pods, nodes, leases, client, clock }) {
    const pod = pods.get(key);
    if (pod === undefined || !isEnding(pod)) return undefined;
    const node = nodeOf(pod);
    // Its grace is over, and nobody answers for its node.
    const until = vouchedUntil(nodes.get(node), leases.get(`${LEASE_NAMESPACE}/${node}`));
    const waitMs = Math.max(until, Date.parse(pod.metadata.deletionTimestamp ?? "")) - clock.now();
    if (waitMs === Number.POSITIVE_INFINITY) return undefined; // until the Node says something else
    if (waitMs > 0) return { requeueAfterMs: Math.min(waitMs, LOOK_AGAIN_MS_MAX) };
    await deleteObject(client, PODS, pod, { gracePeriodSeconds: 0 });
    return undefined;
  },
});

/** Nodes and their Leases change all the time, and of many pods few end. */
class EndingPods {
  /** By their keys the nodes that they are on. */
  readonly #nodes = new Map<string, string>();

  /** Answers with the pod, if it ends. */
  take({ type, object }: Change): Keys {
    const key = keyOfObject(object);
    if (type === "delete" || !isEnding(object)) {
      this.#nodes.delete(key);
      return [];
    }
    this.#nodes.set(key, nodeOf(object));
    return [key];
  }

  on(name: string | undefined): Keys {
    return [...this.#nodes].flatMap(([key, node]) => (node === name ? [key] : []));
  }
}

/** It has been deleted, and has time left that somebody has to end. */
function isEnding(pod: KubeObject): boolean {
  const { deletionTimestamp, deletionGracePeriodSeconds = 0 } = pod.metadata;
  return deletionTimestamp !== undefined && deletionGracePeriodSeconds > 0 && nodeOf(pod) !== "";
}

/**
 * Until when somebody answers for the node, in milliseconds; Infinity: as long as the objects are as they are. That is a
 * kubelet that renews the node's Lease, or an agent that says so on the Node; who does ends the pods of his node himself.
 * Of a machine that is down nobody can say what has ended there.
 */
function vouchedUntil(node: KubeObject | undefined, lease: KubeObject | undefined): number {
  if (node !== undefined && (hasAgent(node) || hasFailed(node))) return Number.POSITIVE_INFINITY;
  const renewed = renewedMs(lease);
  return Number.isNaN(renewed) ? 0 : renewed + leaseMs(lease);
}
