// The node lifecycle controller. A node without heartbeats becomes Unknown after the grace period, and its pods become
// not ready. Taints keep new pods away and, zone by zone at a limited rate, evict the existing ones.

import { type JsonObject, objectAt, objectsAt, textAt } from "../../apimachinery/json/json.ts";
import { formatTime } from "../../apimachinery/meta/clock.ts";
import { conditionOf } from "../../apimachinery/meta/conditions.ts";
import { isReady, type KubeObject } from "../../apimachinery/meta/object-meta.ts";
import {
  changeObject,
  identityOf,
  isGoing,
  keyOfObject,
  keysIn,
  mergeStatus,
  NODES,
  PODS,
  placeOf,
  subjectOf,
} from "../../controller/api.ts";
import { defineController } from "../../controller/define-controller.ts";
import type { KitWith, Requeue, World } from "../../controller/definition.ts";
import { podsByNode } from "../../controller/pods.ts";
import { LEASE_NAMESPACE, LEASES } from "../nodes.ts";
import { zoneOf } from "../scheduler/node-info.ts";
import { Health, readyCondition } from "./health.ts";
import { emptiedFor, isEmptied, pauseInZone, wantedTaints } from "./taint-rules.ts";

interface Memory {
  readonly health: Health;
  /** By node. */
  readonly pods: ReturnType<typeof podsByNode>;
  /** Zone → earliest time at which the next node may be evicted. */
  readonly nextMs: Map<string, number>;
  /** Node → the Ready transition time for which its pods were marked not ready. */
  readonly told: Map<string, string>;
}

type LifecycleWorld = World<"nodes" | "leases" | "pods", Memory>;

const TYPES = ["Ready", "MemoryPressure", "DiskPressure", "PIDPressure"];
const SILENT = { reason: "NodeStatusUnknown", message: "Kubelet stopped posting node status." };
const NEVER_HEARD = { reason: "NodeStatusNeverUpdated", message: "Kubelet never posted node status." };
/** Requeue delay of a node that must not be evicted yet. */
const ASK_AGAIN_MS = 5_000;

export const nodeLifecycle = defineController<"nodes" | "leases" | "pods", Memory>({
  name: "node-lifecycle",
  summary: "nodes that fall silent: conditions, taints, pods that are not ready",
  fieldManager: "kube-controller-manager",
  events: "node-controller",
  ofCluster: true,
  memory: (kit: KitWith<"pods">) => ({
    health: new Health(kit),
    pods: podsByNode(kit.pods),
    nextMs: new Map(),
    told: new Map(),
  }),
  watches: {
    nodes: {
      resource: NODES,
      take({ type, object }, { memory: { health, told } }) {
        const name = keyOfObject(object);
        if (type !== "delete") health.hearNode(name, object);
        else {
          health.forget(name);
          told.delete(name);
        }
      },
      facts: (node) => [node.metadata.labels, node["spec"], statesOf(node)],
      toKeys: (change, world) => {
        sayOfNode(change.type, change.object, world);
        return [keyOfObject(change.object)];
      },
    },
    leases: {
      resource: LEASES,
      list: { namespace: LEASE_NAMESPACE },
      on: [],
      take({ type, object }, { memory }) {
        if (type !== "delete") memory.health.hearLease(object.metadata.name ?? "", object);
      },
    },
    pods: { resource: PODS, on: [] },
  },
  prepare({ nodes, memory, look }) {
    memory.health.start(look);
    return keysIn(nodes);
  },
  async reconcile(key, world) {
    const node = world.nodes.get(key);
    if (!node || isGoing(node)) return undefined;
    if (world.memory.health.isOverdue(key) && (await markUnknown(node, world))) return undefined;
    await tellPods(node, world);
    return await keepTaints(node, world);
  },
});

const statesOf = (node: KubeObject) =>
  objectsAt(objectAt(node, "status"), "conditions").map(({ type, status }) => [type, status]);

/** As in kube-controller-manager, the name of the node is also its uid here. */
const subjectFor = (name: string) => ({ kind: "Node", name, uid: name });

function sayOfNode(
  type: string,
  { metadata: { name = "" } }: KubeObject,
  { recordEvent }: LifecycleWorld,
): void {
  const about = { subject: subjectFor(name), type: "Normal" } as const;
  if (type === "add")
    recordEvent({
      ...about,
      reason: "RegisteredNode",
      message: `Node ${name} event: Registered Node ${name} in Controller`,
    });
  if (type === "delete")
    recordEvent({
      ...about,
      reason: "RemovingNode",
      message: `Node ${name} event: Removing Node ${name} from Controller`,
    });
}

/** Returns true if it wrote: the watch event of that write enqueues the node again. */
async function markUnknown(
  node: KubeObject,
  { client, clock, recordEvent }: LifecycleWorld,
): Promise<boolean> {
  const { name = "", creationTimestamp } = node.metadata;
  const now = formatTime(clock.now());
  const status = objectAt(node, "status");
  const conditions = TYPES.flatMap((type): JsonObject[] => {
    const before = conditionOf(status, type);
    if (before === undefined)
      return [
        {
          type,
          status: "Unknown",
          ...NEVER_HEARD,
          lastHeartbeatTime: creationTimestamp,
          lastTransitionTime: now,
        },
      ];
    if (before["status"] === "Unknown") return [];
    return [{ type, status: "Unknown", ...SILENT, lastTransitionTime: now }];
  });
  if (conditions.length === 0) return false;
  await mergeStatus(client, NODES, node, { status: { conditions } });
  if (isReady(node)) {
    const message = `Node ${name} status is now: NodeNotReady`;
    recordEvent({ subject: subjectFor(name), type: "Normal", reason: "NodeNotReady", message });
  }
  return true;
}

/** Marks the node's pods as not ready, once for each failure of the node. */
async function tellPods(
  node: KubeObject,
  { client, clock, memory, recordEvent }: LifecycleWorld,
): Promise<void> {
  const { name = "" } = node.metadata;
  const ready = readyCondition(node);
  if (ready === undefined || ready["status"] === "True") {
    memory.told.delete(name);
    return;
  }
  const since = textAt(ready, "lastTransitionTime");
  if (memory.told.get(name) === since) return;
  memory.told.set(name, since);
  const affected = [...memory.pods.of(name).values()].filter(isReady);
  const condition = { type: "Ready", status: "False", lastTransitionTime: formatTime(clock.now()) };
  for (const pod of affected) {
    if (await mergeStatus(client, PODS, pod, { status: { conditions: [condition] } }))
      recordEvent({
        subject: subjectOf(pod),
        type: "Warning",
        reason: "NodeNotReady",
        message: "Node is not ready",
      });
  }
}

async function keepTaints(node: KubeObject, world: LifecycleWorld): Promise<Requeue | undefined> {
  const { nodes, client, clock, memory } = world;
  const zone = zoneOf(node.metadata.labels ?? {});
  const isFailed = emptiedFor(node) !== undefined;
  const pauseMs = isFailed ? pauseInZone(nodes.list(), zone) : undefined;
  const waitMs = (memory.nextMs.get(zone) ?? 0) - clock.now();
  const isNew = isFailed && !isEmptied(node);
  const empties = pauseMs !== undefined && (!isNew || waitMs <= 0);
  const now = formatTime(clock.now());
  if (isNew && empties) memory.nextMs.set(zone, clock.now() + pauseMs);
  if (wantedTaints(node, empties, now))
    await changeObject(client, identityOf(NODES, node), (live) => {
      const taints = wantedTaints(live, empties, now);
      const { resourceVersion } = live.metadata;
      const body = { metadata: { resourceVersion }, spec: { taints } };
      return taints && client.patch(NODES, placeOf(live), { type: "merge", body });
    });
  return isFailed && !empties ? { requeueAfterMs: Math.max(waitMs, ASK_AGAIN_MS) } : undefined;
}
