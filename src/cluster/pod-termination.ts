// Ends deleted pods on nodes without a kubelet or agent once their grace period is over: no kubelet will confirm that
// their containers have stopped. Otherwise neither the pod nor its namespace could be removed.

import type { KubeObject } from "../apimachinery/meta/object-meta.ts";
import { deleteObject, keyOfObject, NODES, PODS } from "../controller/api.ts";
import { defineController } from "../controller/define-controller.ts";
import type { Change, Keys } from "../controller/definition.ts";
import { nodeOf } from "../controller/pods.ts";
import { hasFailed } from "./node-annotations.ts";
import { hasAgent, LEASE_NAMESPACE, LEASES, leaseMs, renewedMs } from "./nodes.ts";

/** Longer waits are split: a timer is limited to about 24 days. */
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
    // Wait until the grace period is over and no kubelet or agent serves the node.
    const until = vouchedUntil(nodes.get(node), leases.get(`${LEASE_NAMESPACE}/${node}`));
    const waitMs = Math.max(until, Date.parse(pod.metadata.deletionTimestamp ?? "")) - clock.now();
    if (waitMs === Number.POSITIVE_INFINITY) return undefined; // until the Node changes
    if (waitMs > 0) return { requeueAfterMs: Math.min(waitMs, LOOK_AGAIN_MS_MAX) };
    await deleteObject(client, PODS, pod, { gracePeriodSeconds: 0 });
    return undefined;
  },
});

/** Indexes terminating pods by node: nodes and Leases change often, while few pods terminate. */
class EndingPods {
  /** Pod key → node. */
  readonly #nodes = new Map<string, string>();

  /** Returns the key of the pod if it terminates. */
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

/** The pod is deleted with a grace period and is bound to a node. */
function isEnding(pod: KubeObject): boolean {
  const { deletionTimestamp, deletionGracePeriodSeconds = 0 } = pod.metadata;
  return deletionTimestamp !== undefined && deletionGracePeriodSeconds > 0 && nodeOf(pod) !== "";
}

/**
 * Until when a kubelet or an agent serves the node, in milliseconds. Infinity: until the objects change. A kubelet
 * renews the node's Lease; an agent is named in the Node's annotation. Either ends the pods of its node itself. For a
 * failed machine it is unknown what has ended, so Infinity is returned.
 */
function vouchedUntil(node: KubeObject | undefined, lease: KubeObject | undefined): number {
  if (node !== undefined && (hasAgent(node) || hasFailed(node))) return Number.POSITIVE_INFINITY;
  const renewed = renewedMs(lease);
  return Number.isNaN(renewed) ? 0 : renewed + leaseMs(lease);
}
