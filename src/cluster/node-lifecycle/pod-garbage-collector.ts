// The pod garbage collector. It deletes pods on missing nodes, terminating pods on out-of-service nodes, and
// terminating pods without a node. Beyond a threshold it also deletes the oldest ended pods.
import { objectsAt } from "../../apimachinery/json/json.ts";
import { byAge, isReady, type KubeObject, specOf } from "../../apimachinery/meta/object-meta.ts";
import { deleteObject, isGoing, keyOfObject, NODES, PODS } from "../../controller/api.ts";
import { defineController } from "../../controller/define-controller.ts";
import type { KitWith, World } from "../../controller/definition.ts";
import { hasEnded, nodeOf, podsByNode } from "../../controller/pods.ts";
import { markDisrupted } from "./disruption-target.ts";
import { OUT_OF_SERVICE } from "./taint-rules.ts";

/** How long a node must be missing before its pods are deleted. */
const QUARANTINE_MS = 40_000;
/** --terminated-pod-gc-threshold */
const ENDED_MAX = 12_500;
/** The key for all ended pods. */
const ENDED = "";

interface Memory {
  /** By node. */
  readonly pods: ReturnType<typeof podsByNode>;
  readonly ended: Set<string>;
  /** Node → time since which it is missing. */
  readonly missing: Map<string, number>;
}

type CollectorWorld = World<"nodes" | "pods", Memory>;

export const podGarbageCollector = defineController<"nodes" | "pods", Memory>({
  name: "pod-garbage-collector",
  summary: "deletes pods of nodes that are gone, and the oldest of very many that have ended",
  fieldManager: "kube-controller-manager",
  ofCluster: true,
  memory: ({ pods }: KitWith<"pods">) => ({ pods: podsByNode(pods), ended: new Set(), missing: new Map() }),
  watches: {
    nodes: {
      resource: NODES,
      take({ type, object }, { memory: { missing } }) {
        if (type !== "delete") missing.delete(keyOfObject(object));
      },
      facts: (node) => [isReady(node), isOutOfService(node)],
      toKeys: ({ object, type }, { memory: { pods } }) =>
        type === "delete" || isOutOfService(object) ? [...pods.of(keyOfObject(object)).keys()] : [],
    },
    pods: {
      resource: PODS,
      take({ type, object }, { memory: { ended } }) {
        if (type !== "delete" && hasEnded(object)) ended.add(keyOfObject(object));
        else ended.delete(keyOfObject(object));
      },
      on: ["add", "update"],
      facts: (pod) => [nodeOf(pod), isGoing(pod), hasEnded(pod)],
      toKeys: ({ object }, { memory: { ended } }) => [
        keyOfObject(object),
        ...(ended.size > ENDED_MAX ? [ENDED] : []),
      ],
    },
  },
  prepare: ({ nodes, pods, memory: { ended } }) => [
    ...[...pods.list()]
      .filter((pod) => nodes.get(nodeOf(pod)) === undefined || isGoing(pod))
      .map(keyOfObject),
    ...(ended.size > ENDED_MAX ? [ENDED] : []),
  ],
  async reconcile(key, world) {
    const { nodes, pods, client, clock, memory } = world;
    if (key === ENDED) return await thinOut(world);
    const pod = pods.get(key);
    if (!pod) return undefined;
    const name = nodeOf(pod);
    const node = nodes.get(name);
    if (name === "" || node) {
      const isStuck = name === "" || (node !== undefined && isOutOfService(node) && !isReady(node));
      if (isStuck && isGoing(pod)) await deleteObject(client, PODS, pod, { gracePeriodSeconds: 0 });
      return undefined;
    }
    const sinceMs = memory.missing.get(name) ?? clock.now();
    memory.missing.set(name, sinceMs);
    const waitMs = sinceMs + QUARANTINE_MS - clock.now();
    if (waitMs > 0) return { requeueAfterMs: waitMs };
    if (!hasEnded(pod)) await markDisrupted(world, pod, ORPHANED, { phase: "Failed" });
    await deleteObject(client, PODS, pod, { gracePeriodSeconds: 0 });
    return undefined;
  },
});

const isOutOfService = (node: KubeObject): boolean =>
  objectsAt(specOf(node), "taints").some(({ key }) => key === OUT_OF_SERVICE);

/** Reported in the DisruptionTarget condition of the pod. */
const ORPHANED = { reason: "DeletionByPodGC", message: "PodGC: node no longer exists" };

async function thinOut({ pods, client, memory: { ended } }: CollectorWorld): Promise<undefined> {
  const oldest = [...ended]
    .flatMap((key) => pods.get(key) ?? [])
    .sort(byAge)
    .slice(0, Math.max(ended.size - ENDED_MAX, 0));
  for (const pod of oldest) await deleteObject(client, PODS, pod, { gracePeriodSeconds: 0 });
  return undefined;
}
