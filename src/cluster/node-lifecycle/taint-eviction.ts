// Evicts pods from nodes with NoExecute taints that they do not tolerate, or no longer tolerate. The start is the
// taint's timeAdded, so a restart changes no deadline.
import { type KubeObject, specOf } from "../../apimachinery/meta/object-meta.ts";
import { deleteObject, isGoing, keyOfObject, NODES, PODS } from "../../controller/api.ts";
import { defineController } from "../../controller/define-controller.ts";
import type { KitWith } from "../../controller/definition.ts";
import { nodeOf, podsByNode } from "../../controller/pods.ts";
import { type Taint, taintsOf, tolerates, tolerationsOf } from "../../controller/taints.ts";
import { markDisrupted } from "./disruption-target.ts";

interface Memory {
  /** By node. */
  readonly pods: ReturnType<typeof podsByNode>;
  /** Pods scheduled for eviction, unless the taints are removed first. */
  readonly marked: Set<string>;
}

const NAME = "taint-eviction-controller";
/** Longer waits are split: a timer is limited to about 24 days. */
const WAIT_MS_MAX = 3_600_000;

const TAINTED = {
  reason: "DeletionByTaintManager",
  message: "Taint manager: deleting due to NoExecute taint",
};

const emptying = (node: KubeObject): Taint[] =>
  taintsOf(specOf(node)).filter(({ effect }) => effect === "NoExecute");

export const taintEviction = defineController<"nodes" | "pods", Memory>({
  name: "taint-eviction",
  summary: "deletes pods that do not tolerate the taints of their node",
  fieldManager: "kube-controller-manager",
  events: NAME,
  ofCluster: true,
  memory: ({ pods }: KitWith<"pods">) => ({ pods: podsByNode(pods), marked: new Set() }),
  watches: {
    nodes: {
      resource: NODES,
      on: ["add", "update"],
      facts: emptying,
      toKeys: ({ object, old }, { memory }) =>
        emptying(object).length > 0 || (old !== undefined && emptying(old).length > 0)
          ? [...memory.pods.of(keyOfObject(object)).keys()]
          : [],
    },
    pods: {
      resource: PODS,
      take({ type, object }, { memory: { marked } }) {
        if (type === "delete") marked.delete(keyOfObject(object));
      },
      on: ["add", "update"],
      facts: (pod) => [nodeOf(pod), specOf(pod)["tolerations"]],
      toKeys: ({ object }, { nodes }) => {
        const node = nodes.get(nodeOf(object));
        return node && emptying(node).length > 0 ? [keyOfObject(object)] : [];
      },
    },
  },
  prepare: ({ nodes, memory }) =>
    [...nodes.list()]
      .filter((node) => emptying(node).length > 0)
      .flatMap((node) => [...memory.pods.of(keyOfObject(node)).keys()]),
  async reconcile(key, { nodes, pods, client, clock, memory, recordEvent }) {
    const pod = pods.get(key);
    const node = pod && nodes.get(nodeOf(pod));
    if (!pod || !node || isGoing(pod)) return undefined;
    const { namespace = "", name = "" } = pod.metadata;
    const about = {
      subject: { kind: "Pod", namespace, name },
      type: "Normal",
      reason: "TaintManagerEviction",
    } as const;
    const dueMs = dueOf(pod, emptying(node), clock.now());
    if (dueMs === undefined) {
      if (memory.marked.delete(key)) recordEvent({ ...about, message: `Cancelling deletion of Pod ${key}` });
      return undefined;
    }
    memory.marked.add(key);
    const waitMs = dueMs - clock.now();
    if (waitMs > 0) return { requeueAfterMs: Math.min(waitMs, WAIT_MS_MAX) };
    recordEvent({ ...about, message: `Marking for deletion Pod ${key}` });
    await markDisrupted({ client, clock }, pod, TAINTED);
    await deleteObject(client, PODS, pod);
    return undefined;
  },
});

/** When the pod is evicted; undefined: it may stay. */
function dueOf(pod: KubeObject, taints: readonly Taint[], nowMs: number): number | undefined {
  if (taints.length === 0) return undefined;
  const tolerations = tolerationsOf(specOf(pod));
  let seconds = Number.POSITIVE_INFINITY;
  let sinceMs = Number.NEGATIVE_INFINITY;
  for (const taint of taints) {
    const used = tolerations.filter((toleration) => tolerates(toleration, taint));
    if (used.length === 0) return nowMs;
    for (const toleration of used)
      seconds = Math.min(seconds, Math.max(toleration.seconds ?? Number.POSITIVE_INFINITY, 0));
    const added = Date.parse(taint.timeAdded);
    sinceMs = Math.max(sinceMs, Number.isNaN(added) ? nowMs : added);
  }
  return Number.isFinite(seconds) ? sinceMs + seconds * 1000 : undefined;
}
