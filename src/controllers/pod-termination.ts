// Pods on nodes that nobody answers for: one that was deleted ends when its grace period is over, because no kubelet
// will confirm that its containers have stopped. Without that neither the pod nor its namespace would ever go.

import { numberAt, objectAt, textAt } from "../meta/json.ts";
import type { KubeObject } from "../meta/object-meta.ts";
import { deleteObject, keyOfObject, NODES, PODS, resourceIn } from "./kit/api.ts";
import { defineController } from "./kit/define-controller.ts";
import type { Change, Keys } from "./kit/definition.ts";

const LEASES = resourceIn("coordination.k8s.io", "v1", "leases");
/** Where kubelets keep their Leases, by the names of the nodes. */
const LEASE_NAMESPACE = "kube-node-lease";
/** An annotation of a Node: who plays its kubelet. "" and "false" are nobody. */
const AGENT_ANNOTATION = "egret.dev/agent";
/** What a kubelet asks for unless told otherwise. */
const LEASE_SECONDS = 40;
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

const nodeOf = (pod: KubeObject): string => textAt(objectAt(pod, "spec"), "nodeName");

/**
 * Until when somebody answers for the node, in milliseconds; Infinity: as long as the objects are as they are. That is a
 * kubelet that renews the node's Lease, or an agent that says so on the Node; who does ends the pods of his node himself.
 */
function vouchedUntil(node: KubeObject | undefined, lease: KubeObject | undefined): number {
  const agent = node?.metadata.annotations?.[AGENT_ANNOTATION] ?? "";
  if (agent !== "" && agent !== "false") return Number.POSITIVE_INFINITY;
  const spec = lease && objectAt(lease, "spec");
  const renewed = Date.parse(textAt(spec, "renewTime"));
  if (Number.isNaN(renewed)) return 0;
  return renewed + (numberAt(spec, "leaseDurationSeconds") ?? LEASE_SECONDS) * 1000;
}
