// Simulates the kubelets and the network agents for pods. A bound pod gets an address of the node's subnet, runs
// according to its script, and ends after it is deleted. Nodes with a failed machine or an external agent are skipped.

import { type JsonObject, objectAt } from "../../apimachinery/json/json.ts";
import type { KubeObject } from "../../apimachinery/meta/object-meta.ts";
import { Alarm } from "../../controller/alarm.ts";
import {
  deleteObject,
  isGoing,
  keyOfObject,
  mergeStatus,
  NODES,
  PODS,
  subjectOf,
} from "../../controller/api.ts";
import { defineController } from "../../controller/define-controller.ts";
import type { KitWith, World } from "../../controller/definition.ts";
import { hasEnded, nodeOf, podsByNode } from "../../controller/pods.ts";
import { readNodeSubnets } from "../cluster-subnets.ts";
import { NODE_SUBNETS_ANNOTATION } from "../node-annotations.ts";
import { isPlayed, nodeAddresses } from "../nodes.ts";
import { addressesOf, DEFAULT_NETWORK, isOnHost, POD_NETWORKS, PodAddresses } from "./addresses.ts";
import { Pace } from "./pace.ts";
import { podNetworksText, reachedNetworks } from "./pod-networks.ts";
import { type PodNetwork, stepPod, stopPod, type Told } from "./steps.ts";

interface Memory {
  readonly alarm: Alarm;
  readonly addresses: PodAddresses;
  /** By node. */
  readonly pods: ReturnType<typeof podsByNode>;
  readonly reached: ReturnType<typeof reachedNetworks>;
  /** Rate limit of the Events of container starts. */
  readonly routine: Pace;
}

type PodWorld = World<"pods" | "nodes", Memory>;

/** Real kubelets also limit the rate of these Events. */
const ROUTINE = { runSync: 300, perSecond: 50 } as const;

export const podAgent = defineController<"pods" | "nodes", Memory>({
  name: "pod-agent",
  summary: "what kubelets make of pods: addresses, status, their end",
  fieldManager: "kubelet",
  events: "kubelet",
  ofCluster: true,
  memory: (kit: KitWith<"pods">) => ({
    alarm: new Alarm(kit),
    addresses: new PodAddresses(),
    pods: podsByNode(kit.pods),
    reached: reachedNetworks(kit.settings),
    routine: new Pace(kit.clock, ROUTINE),
  }),
  watches: {
    nodes: {
      resource: NODES,
      facts: ({ metadata, status }) => [metadata.annotations, objectAt({ status }, "status")?.["addresses"]],
      toKeys: ({ type, object }, { memory }) =>
        type === "delete" ? [] : [...memory.pods.of(keyOfObject(object)).keys()],
    },
    pods: {
      resource: PODS,
      take({ type, object }, { memory: { addresses } }) {
        const isGone = type === "delete";
        addresses.take(object, isGone);
        return isGone || nodeOf(object) === "" ? [] : [keyOfObject(object)];
      },
    },
  },
  prepare: ({ pods }) => [...pods.list()].filter((pod) => nodeOf(pod) !== "").map(keyOfObject),
  async reconcile(key, world) {
    const pod = world.pods.get(key);
    const node = pod && world.nodes.get(nodeOf(pod));
    if (!pod || !isPlayed(node)) world.memory.alarm.set(key, undefined);
    else world.memory.alarm.set(key, await (isGoing(pod) ? end(pod, node, world) : run(pod, node, world)));
  },
});

/** When the pod is requeued, in milliseconds since the epoch. */
type Wake = Promise<number | undefined>;

async function run(pod: KubeObject, node: KubeObject, world: PodWorld): Wake {
  if (hasEnded(pod)) return undefined;
  const given = isOnHost(pod) || addressesOf(pod).length > 0 ? undefined : giveAddresses(pod, node, world);
  const network = networkOf(pod, node, given);
  const nowMs = world.clock.now();
  const { patch, events, wakeMs } = stepPod(pod, network, nowMs);
  const annotations = given && { [POD_NETWORKS]: podNetworksText(given, world.memory.reached) };
  if (patch || annotations) {
    if (!(await write(pod, { patch, annotations }, world))) return undefined;
    for (const told of events) tell(pod, told, world);
  }
  return wakeMs;
}

/** Writes annotation and status in one patch. A pod that is gone or was replaced is ignored. */
async function write(
  pod: KubeObject,
  {
    patch,
    annotations,
  }: { readonly patch: JsonObject | undefined; readonly annotations: JsonObject | undefined },
  { client }: PodWorld,
): Promise<boolean> {
  const content = {
    ...(annotations ? { metadata: { annotations } } : {}),
    ...(patch ? { status: patch } : {}),
  };
  return (await mergeStatus(client, PODS, pod, content)) !== undefined;
}

/** Allocates addresses with prefix lengths. undefined: the node has no subnet, or its subnet is exhausted. */
function giveAddresses(pod: KubeObject, node: KubeObject, world: PodWorld): string[] | undefined {
  const subnets =
    readNodeSubnets(node.metadata.annotations?.[NODE_SUBNETS_ANNOTATION])?.[DEFAULT_NETWORK] ?? [];
  const given = subnets.length === 0 ? undefined : world.memory.addresses.allocate(keyOfObject(pod), subnets);
  if (given) return given;
  const { namespace = "", name = "" } = pod.metadata;
  const where = node.metadata.name ?? "";
  const why =
    subnets.length === 0
      ? `timed out waiting for logical switch in logical switch cache ${JSON.stringify(where)} subnet: context deadline exceeded`
      : `failed to assign pod addresses for pod ${namespace}/${name} on switch: ${where}, err: failed to allocate new pod IPs: range is full`;
  const message = `addLogicalPort failed for ${namespace}/${name}: ${why}`;
  tell(pod, { type: "Warning", reason: "ErrorAddingResource", message }, world);
  return undefined;
}

function networkOf(pod: KubeObject, node: KubeObject, given: readonly string[] | undefined): PodNetwork {
  const hostIps = nodeAddresses(node, "InternalIP");
  if (isOnHost(pod)) return { hostIps, podIps: hostIps };
  const own = given ? given.map((text) => text.replace(/\/.*$/, "")) : addressesOf(pod);
  return { hostIps, podIps: own.length > 0 ? own : undefined };
}

async function end(pod: KubeObject, node: KubeObject, world: PodWorld): Wake {
  const network = networkOf(pod, node, undefined);
  const nowMs = world.clock.now();
  const stop = stopPod(pod, network);
  if (nowMs < stop.dueMs) return stop.dueMs;
  const patch = stop.patch(nowMs);
  if (patch && !(await write(pod, { patch, annotations: undefined }, world))) return undefined;
  await deleteObject(world.client, PODS, pod, { gracePeriodSeconds: 0 });
  return undefined;
}

function tell(pod: KubeObject, { type, reason, message, fieldPath, isRoutine }: Told, world: PodWorld): void {
  if (isRoutine && !world.memory.routine.take()) return;
  const subject = { ...subjectOf(pod), ...(fieldPath === undefined ? {} : { fieldPath }) };
  world.recordEvent({ subject, type: type ?? "Normal", reason, message }, keyOfObject(pod));
}
