// Which pods leave the cluster with the addresses of which EgressIP. Nothing is written from this: it is how the nodes
// would program the network, and it never influences where addresses are placed.
import { parseIp } from "../../meta/ip.ts";
import { isObject } from "../../meta/json.ts";
import {
  InvalidSelectorError,
  type LabelSelector,
  labelSelectorFromObject,
} from "../../meta/label-selector.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import type { Occurrence } from "../kit/event-correlator.ts";
import { readEgressIp } from "./egress-ip.ts";
import { servedByAnother } from "./events.ts";

export interface ServedPod {
  readonly namespace: string;
  readonly name: string;
  readonly egressIp: string;
  /** Of the pod's own families; traffic is spread over several. */
  readonly addresses: readonly string[];
  /** Other EgressIPs that select the pod; the first takes over when the serving one no longer does. */
  readonly standby: readonly string[];
}

export interface ServingWorld {
  /** In the order in which they were seen. */
  readonly egressIps: readonly KubeObject[];
  readonly namespaces: readonly KubeObject[];
  readonly pods: readonly KubeObject[];
}

/** `before` is the last answer: whoever serves a pod goes on as long as it selects it. */
export function servedPods(world: ServingWorld, before: readonly ServedPod[] = []): ServedPod[] {
  const namespaces = new Map(world.namespaces.map(({ metadata }) => [metadata.name ?? "", metadata.labels]));
  const servers = world.egressIps.flatMap((object) => serverOf(object) ?? []);
  const previous = new Map(before.map((served) => [podKey(served), served]));
  return world.pods.filter(canBeServed).flatMap((pod): ServedPod[] => {
    const { namespace = "", name = "", labels } = pod.metadata;
    const namespaceLabels = namespaces.get(namespace);
    const matching = servers.filter((server) => server.selects(namespaceLabels, labels));
    const known = previous.get(podKey({ namespace, name }));
    const order = [known?.egressIp, ...(known?.standby ?? [])].filter((item) => item !== undefined);
    matching.sort((a, b) => rank(order, a.name) - rank(order, b.name));
    const [serving, ...others] = matching;
    if (!serving) return [];
    const families = new Set(podAddresses(pod).map((text) => parseIp(text)?.family));
    const addresses = serving.addresses.filter((text) => families.has(parseIp(text)?.family));
    return [
      { namespace, name, egressIp: serving.name, addresses, standby: others.map((other) => other.name) },
    ];
  });
}

/** What is said about EgressIPs that came to stand by since the last answer. */
export function reportStandby(served: readonly ServedPod[], before: readonly ServedPod[]): Occurrence[] {
  const previous = new Map(before.map((item) => [podKey(item), new Set(item.standby)]));
  return served.flatMap((pod) =>
    pod.standby
      .filter((name) => previous.get(podKey(pod))?.has(name) !== true)
      .map((name) => servedByAnother(name, pod, pod.egressIp)),
  );
}

interface Server {
  readonly name: string;
  readonly addresses: readonly string[];
  selects(namespaceLabels: Labels, podLabels: Labels): boolean;
}

type Labels = Readonly<Record<string, string>> | undefined;

/** Undefined for an EgressIP without any placed address, or with a selector that cannot be understood. */
function serverOf(object: KubeObject): Server | undefined {
  const { name, items } = readEgressIp(object);
  const spec = isObject(object["spec"]) ? object["spec"] : {};
  const selectors = readSelectors(spec["namespaceSelector"], spec["podSelector"]);
  if (items.length === 0 || !selectors) return undefined;
  const [ofNamespace, ofPod] = selectors;
  return {
    name,
    addresses: items.map(({ egressIP }) => egressIP),
    // A namespace without any label is never selected, not even by a selector that takes everything.
    selects: (namespaceLabels, podLabels) =>
      Object.keys(namespaceLabels ?? {}).length > 0 &&
      ofNamespace.matches(namespaceLabels) &&
      ofPod.matches(podLabels),
  };
}

function readSelectors(ofNamespace: unknown, ofPod: unknown): [LabelSelector, LabelSelector] | undefined {
  try {
    return [labelSelectorFromObject(ofNamespace), labelSelectorFromObject(ofPod ?? {})];
  } catch (error) {
    if (error instanceof InvalidSelectorError) return undefined;
    throw error;
  }
}

/** Scheduled, with a network of its own, not finished, with an address. */
function canBeServed(pod: KubeObject): boolean {
  const spec = isObject(pod["spec"]) ? pod["spec"] : {};
  const status = isObject(pod["status"]) ? pod["status"] : {};
  const finished = status["phase"] === "Succeeded" || status["phase"] === "Failed";
  return (
    Boolean(spec["nodeName"]) && spec["hostNetwork"] !== true && !finished && podAddresses(pod).length > 0
  );
}

function podAddresses(pod: KubeObject): string[] {
  const status = isObject(pod["status"]) ? pod["status"] : {};
  const listed = Array.isArray(status["podIPs"]) ? status["podIPs"] : [];
  const all = listed.map((item) => (isObject(item) ? item["ip"] : undefined));
  return [...new Set([status["podIP"], ...all])].filter(
    (text): text is string => typeof text === "string" && text !== "",
  );
}

const podKey = ({ namespace, name }: { readonly namespace: string; readonly name: string }): string =>
  `${namespace}/${name}`;

function rank(order: readonly string[], name: string): number {
  const at = order.indexOf(name);
  return at < 0 ? order.length : at;
}
