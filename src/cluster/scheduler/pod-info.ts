// A pod in the scheduler's cache, parsed once: most fields that it reads are immutable.

import {
  type JsonObject,
  numberAt,
  objectAt,
  objectsAt,
  textAt,
  textsAt,
} from "../../apimachinery/json/json.ts";
import { labelSelectorFromObject } from "../../apimachinery/meta/label-selector.ts";
import { type KubeObject, specOf } from "../../apimachinery/meta/object-meta.ts";
import { controllerOf, keyOfObject } from "../../controller/api.ts";
import { type Toleration, tolerationsOf } from "../../controller/taints.ts";
import { podResourcesWithOverhead } from "../../kube/quota/pod-resources.ts";
import { type Counts, countsOf } from "./amounts.ts";
import { type NodeTest, type PreferredNode, preferredNodes, requiredNode } from "./node-terms.ts";

/** A pod selector with its topology key. */
export interface PodTerm {
  /** Equal for equivalent terms. */
  readonly id: string;
  readonly topologyKey: string;
  /** In addition to the namespaces that the namespaceSelector matches. */
  readonly namespaces: ReadonlySet<string>;
  readonly inNamespaces: ((labels: Readonly<Record<string, string>>) => boolean) | undefined;
  matches(labels: Readonly<Record<string, string>>): boolean;
}

export interface WeightedTerm {
  readonly weight: number;
  readonly term: PodTerm;
}

export interface SpreadConstraint {
  readonly term: PodTerm;
  readonly maxSkew: number;
  readonly minDomains: number;
  readonly honoursAffinity: boolean;
  readonly honoursTaints: boolean;
}

export interface PodInfo {
  readonly key: string;
  readonly uid: string;
  readonly generation: number;
  readonly namespace: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly priority: number;
  readonly created: string;
  readonly requests: Counts;
  /** CPU and memory for scoring; a pod without requests gets default values. */
  readonly scored: readonly [cpu: number, memory: number];
  readonly ports: readonly string[];
  readonly tolerations: readonly Toleration[];
  readonly requiredNode: NodeTest | undefined;
  readonly preferredNodes: readonly PreferredNode[];
  readonly affinity: readonly PodTerm[];
  readonly antiAffinity: readonly PodTerm[];
  /** Preferred anti-affinity has a negative weight. */
  readonly preferredPods: readonly WeightedTerm[];
  readonly hardSpread: readonly SpreadConstraint[];
  readonly softSpread: readonly SpreadConstraint[];
  /** The uid of its controller; "" if none. */
  readonly owner: string;
  readonly preempts: boolean;
}

const USUAL_CPU = 100;
const USUAL_MEMORY = 200 * 1024 * 1024;
const REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution";
const PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution";

export function podInfo(pod: KubeObject): PodInfo {
  const { metadata } = pod;
  const { namespace = "", labels = {}, uid = "" } = metadata;
  const spec = specOf(pod);
  const requests = countsOf(podResourcesWithOverhead(spec, "requests"));
  const affinity = objectAt(spec, "affinity");
  const [near, far] = [objectAt(affinity, "podAffinity"), objectAt(affinity, "podAntiAffinity")];
  const spread = objectsAt(spec, "topologySpreadConstraints");
  const isHard = (constraint: JsonObject): boolean => constraint["whenUnsatisfiable"] !== "ScheduleAnyway";
  const terms = (of: JsonObject | undefined) =>
    objectsAt(of, REQUIRED).map((term) => podTerm(term, namespace));
  const weighted = (of: JsonObject | undefined, sign: number): WeightedTerm[] =>
    objectsAt(of, PREFERRED).map((preferred) => ({
      weight: sign * (numberAt(preferred, "weight") ?? 0),
      term: podTerm(objectAt(preferred, "podAffinityTerm") ?? {}, namespace),
    }));
  return {
    ...{ key: keyOfObject(pod), uid, namespace, labels, created: metadata.creationTimestamp ?? "" },
    generation: metadata.generation ?? 0,
    priority: numberAt(spec, "priority") ?? 0,
    requests,
    scored: [requests.get("cpu") ?? USUAL_CPU, requests.get("memory") ?? USUAL_MEMORY],
    ports: hostPorts(spec),
    tolerations: tolerationsOf(spec),
    requiredNode: requiredNode(spec),
    preferredNodes: preferredNodes(spec),
    affinity: terms(near),
    antiAffinity: terms(far),
    preferredPods: [...weighted(near, 1), ...weighted(far, -1)],
    hardSpread: spread.filter(isHard).map((constraint) => spreadOf(constraint, namespace, labels)),
    softSpread: spread
      .filter((constraint) => !isHard(constraint))
      .map((constraint) => spreadOf(constraint, namespace, labels)),
    owner: controllerOf(pod)?.uid ?? "",
    preempts: spec["preemptionPolicy"] !== "Never",
  };
}

/** Host ports as "0.0.0.0/TCP/80"; each can be used once per node. */
function hostPorts(spec: JsonObject): string[] {
  const containers = [
    ...objectsAt(spec, "containers"),
    ...objectsAt(spec, "initContainers").filter((container) => container["restartPolicy"] === "Always"),
  ];
  return containers
    .flatMap((container) => objectsAt(container, "ports"))
    .filter((port) => (numberAt(port, "hostPort") ?? 0) > 0)
    .map((port) => {
      const [address, protocol] = [textAt(port, "hostIP") || ANY, textAt(port, "protocol") || "TCP"];
      return `${address}/${protocol}/${numberAt(port, "hostPort")}`;
    });
}

const ANY = "0.0.0.0";

/** Reports a conflict: the same port and protocol on the same address, or on the wildcard address of either. */
export function collides(port: string, taken: ReadonlyMap<string, number>): boolean {
  if (taken.size === 0) return false;
  if ((taken.get(port) ?? 0) > 0) return true;
  const rest = port.slice(port.indexOf("/"));
  if ((taken.get(`${ANY}${rest}`) ?? 0) > 0) return true;
  return port.startsWith(`${ANY}/`) && [...taken].some(([other, count]) => count > 0 && other.endsWith(rest));
}

function podTerm(term: JsonObject, ownNamespace: string): PodTerm {
  const listed = textsAt(term, "namespaces");
  const selector = objectAt(term, "namespaceSelector");
  const namespaces = new Set(listed.length === 0 && selector === undefined ? [ownNamespace] : listed);
  const labels = labelSelectorFromObject(term["labelSelector"]);
  const inNamespaces = selector && labelSelectorFromObject(selector);
  const topologyKey = textAt(term, "topologyKey");
  return {
    id: JSON.stringify([topologyKey, [...namespaces], selector ?? null, term["labelSelector"] ?? null]),
    topologyKey,
    namespaces,
    inNamespaces: inNamespaces && ((given) => inNamespaces.matches(given)),
    matches: (given) => labels.matches(given),
  };
}

function spreadOf(
  constraint: JsonObject,
  namespace: string,
  own: Readonly<Record<string, string>>,
): SpreadConstraint {
  const selector = objectAt(constraint, "labelSelector");
  const shared = textsAt(constraint, "matchLabelKeys")
    .filter((key) => own[key] !== undefined)
    .map((key) => ({ key, operator: "In", values: [own[key]] }));
  const labelSelector = selector && {
    ...selector,
    matchExpressions: [...objectsAt(selector, "matchExpressions"), ...shared],
  };
  return {
    term: podTerm({ labelSelector, topologyKey: constraint["topologyKey"] }, namespace),
    maxSkew: numberAt(constraint, "maxSkew") ?? 1,
    minDomains: numberAt(constraint, "minDomains") ?? 1,
    honoursAffinity: constraint["nodeAffinityPolicy"] !== "Ignore",
    honoursTaints: constraint["nodeTaintsPolicy"] === "Honor",
  };
}
