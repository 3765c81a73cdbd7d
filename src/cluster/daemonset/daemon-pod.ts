// The pod of a DaemonSet on a node: bound to it by name, with tolerations for unhealthy nodes. Also: which nodes are
// eligible.
import { cloneJson, type JsonObject, objectAt, objectsAt, textAt } from "../../apimachinery/json/json.ts";
import { type KubeObject, specOf } from "../../apimachinery/meta/object-meta.ts";
import { isTolerated, taintsOf, tolerationsOf } from "../../controller/taints.ts";
import { requiredNode } from "../scheduler/node-terms.ts";
import { podFrom } from "../workloads/pod-control.ts";
import { nameOf, ownerReference, templateOf } from "../workloads/resources.ts";

export const KIND = { apiVersion: "apps/v1", kind: "DaemonSet" };
export const HASH_LABEL = "controller-revision-hash";
const GENERATION_LABEL = "pod-template-generation";
const GENERATION = "deprecated.daemonset.template.generation";
const REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution";

/** The taints of unhealthy nodes that the pods of a DaemonSet tolerate. */
const TOLERATED: readonly (readonly [key: string, effect: string])[] = [
  ["not-ready", "NoExecute"],
  ["unreachable", "NoExecute"],
  ["disk-pressure", "NoSchedule"],
  ["memory-pressure", "NoSchedule"],
  ["pid-pressure", "NoSchedule"],
  ["unschedulable", "NoSchedule"],
];

const generationOf = (set: KubeObject): string | undefined => set.metadata.annotations?.[GENERATION];

/** The pods of all nodes are equal except for the node name. */
export function daemonPod(set: KubeObject, node: string, hash: string): KubeObject {
  const pod = podFrom(templateOf(set), set, ownerReference(set, KIND));
  const generation = generationOf(set);
  const labels = {
    ...pod.metadata.labels,
    ...(generation === undefined ? {} : { [GENERATION_LABEL]: generation }),
    [HASH_LABEL]: hash,
  };
  const spec = specOf(pod);
  const affinity = boundTo(node, objectAt(spec, "affinity"));
  return {
    ...pod,
    metadata: { ...pod.metadata, labels },
    spec: { ...spec, affinity, tolerations: tolerationsIn(spec) },
  };
}

/** A toleration of the template with the same key and effect is replaced. */
function tolerationsIn(spec: JsonObject): JsonObject[] {
  const onHost = spec["hostNetwork"] === true ? [["network-unavailable", "NoSchedule"] as const] : [];
  const added = [...TOLERATED, ...onHost].map(([key, effect]) => ({
    key: `node.kubernetes.io/${key}`,
    operator: "Exists",
    effect,
  }));
  const own = objectsAt(spec, "tolerations").map((toleration) => cloneJson(toleration));
  const isSame = (a: JsonObject, b: JsonObject): boolean =>
    ["key", "effect", "operator", "value"].every((key) => textAt(a, key) === textAt(b, key));
  return [...own.filter((one) => !added.some((other) => isSame(one, other))), ...added];
}

/** Keeps the node affinity of the template, but sets matchFields of each required term to the node name. */
function boundTo(node: string, affinity: JsonObject | undefined): JsonObject {
  const matchFields = [{ key: "metadata.name", operator: "In", values: [node] }];
  const ofNode = objectAt(affinity, "nodeAffinity");
  const terms = objectsAt(objectAt(ofNode, REQUIRED), "nodeSelectorTerms");
  const bound = terms.length === 0 ? [{ matchFields }] : terms.map((term) => ({ ...term, matchFields }));
  return { ...affinity, nodeAffinity: { ...ofNode, [REQUIRED]: { nodeSelectorTerms: bound } } };
}

/** Reports whether the pod matches the current template. */
export function isUpdated(pod: KubeObject, set: KubeObject, hash: string): boolean {
  const { labels = {} } = pod.metadata;
  const generation = generationOf(set);
  return labels[HASH_LABEL] === hash || (generation !== undefined && labels[GENERATION_LABEL] === generation);
}

export interface Suitability {
  readonly shouldRun: boolean;
  /** An existing pod may stay on the node. */
  readonly mayStay: boolean;
}

/** Whether a node is eligible for the set. The set is parsed once, since the result is called for many nodes. */
export function suitability(set: KubeObject): (node: KubeObject) => Suitability {
  const spec = objectAt(templateOf(set), "spec") ?? {};
  const fixed = textAt(spec, "nodeName");
  const asked = requiredNode(spec);
  const tolerations = tolerationsOf({ tolerations: tolerationsIn(spec) });
  return (node) => {
    const name = nameOf(node);
    const isAsked = asked?.({ name, labels: node.metadata.labels ?? {} }) ?? true;
    if (!isAsked || (fixed !== "" && fixed !== name)) return { shouldRun: false, mayStay: false };
    const unborne = taintsOf(specOf(node)).filter(
      (taint) => taint.effect !== "PreferNoSchedule" && !isTolerated(taint, tolerations),
    );
    return {
      shouldRun: unborne.length === 0,
      mayStay: unborne.every(({ effect }) => effect !== "NoExecute"),
    };
  };
}
