// Drains a node as kubectl drain does: cordons it and evicts its pods, except those that would return at once.
import type { KubeObject } from "../../apimachinery/meta/object-meta.ts";
import { ask, Refused } from "../frame/ask.ts";
import { linkTo } from "../frame/kinds.ts";

const MERGE = "application/merge-patch+json";
const TOO_MANY_REQUESTS = 429;
const NOT_FOUND = 404;

export const nodePath = (name: string): string => `/api/v1/nodes/${encodeURIComponent(name)}`;

export interface Drained {
  readonly evicted: number;
  /** Pods that a PodDisruptionBudget protects at present. */
  readonly kept: number;
}

/** Rejects with Refused. */
export async function drain(node: string): Promise<Drained> {
  await ask(nodePath(node), { method: "PATCH", type: MERGE, body: { spec: { unschedulable: true } } });
  const path = `/api/v1/pods?fieldSelector=${encodeURIComponent(`spec.nodeName=${node}`)}`;
  const { items } = await ask<{ readonly items: readonly KubeObject[] }>(path);
  let [evicted, kept] = [0, 0];
  for (const pod of items.filter(isEvictable)) {
    if (await evict(pod)) evicted++;
    else kept++;
  }
  return { evicted, kept };
}

/** Excluded: pods of a DaemonSet, mirror pods of the kubelet, and terminating pods. */
export const isEvictable = ({ metadata }: KubeObject): boolean =>
  metadata.deletionTimestamp === undefined &&
  !(metadata.ownerReferences ?? []).some(
    ({ kind, controller }) => controller === true && kind === "DaemonSet",
  ) &&
  metadata.annotations?.["kubernetes.io/config.mirror"] === undefined;

/** False: a disruption budget forbids the eviction at present. */
async function evict({ metadata: { namespace = "", name = "" } }: KubeObject): Promise<boolean> {
  const body = { apiVersion: "policy/v1", kind: "Eviction", metadata: { namespace, name } };
  try {
    await ask(`/api/v1/namespaces/${namespace}/pods/${name}/eviction`, { method: "POST", body });
    return true;
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    if (error.status.code === TOO_MANY_REQUESTS) return false;
    if (error.status.code === NOT_FOUND) return true; // already deleted
    throw error;
  }
}

export const drainedText = ({ evicted, kept }: Drained): string =>
  `${evicted === 1 ? "1 pod" : `${evicted} pods`} evicted${kept > 0 ? `, ${kept} kept by a disruption budget` : ""}`;

/** Link to the node's object view. */
export const nodeLink = (name: string): string =>
  linkTo({ group: "", version: "v1", resource: "nodes", namespace: "", name });
