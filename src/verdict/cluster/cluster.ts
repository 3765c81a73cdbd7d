// A cluster as a verdict asks about it: nodes, pods and networks of a snapshot. What nobody asks for is not looked at.
import type { Cidr, IpAddress, IpFamily } from "../../meta/ip.ts";
import { type LabelSelector, labelSelectorFromObject } from "../../meta/label-selector.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import { oncePer } from "../../meta/once-per.ts";
import { atOnce, type Steps } from "../../meta/steps.ts";
import { fullName, NEEDED_KINDS } from "../needed-kinds.ts";
import type { ClusterFacts, GatewayMode, Snapshot } from "../snapshot.ts";
import { networksIn } from "./cidr-texts.ts";
import { attachmentKey, type Network, Networks } from "./network-view.ts";
import { type NodeView, nodeView } from "./node-view.ts";
import { annotatedAddresses, isLive, type PodView, podView } from "./pod-view.ts";

const NAMESPACE_NAME = "kubernetes.io/metadata.name";

type Labels = Readonly<Record<string, string>>;

export class Cluster {
  readonly snapshot: Snapshot;
  readonly facts: ClusterFacts;
  readonly networks: Networks;
  readonly transitSubnets: readonly Cidr[];
  readonly masqueradeSubnets: readonly Cidr[];
  readonly serviceSubnets: readonly Cidr[];
  #nodes: ReadonlyMap<string, NodeView> | undefined;
  #nodeOf: ReadonlyMap<string, NodeView> | undefined;
  readonly #podsOf = new Map<string, ReadonlyMap<string, PodView>>();

  constructor(snapshot: Snapshot, facts: ClusterFacts) {
    this.snapshot = snapshot;
    this.facts = facts;
    this.networks = new Networks(snapshot, facts);
    this.transitSubnets = networksIn(facts.transitSubnets);
    this.masqueradeSubnets = networksIn(facts.masqueradeSubnets);
    this.serviceSubnets = networksIn(facts.serviceSubnets);
  }

  get nodes(): ReadonlyMap<string, NodeView> {
    this.#nodes ??= new Map([...this.snapshot.list("nodes")].map(nodeView).map((node) => [node.name, node]));
    return this.#nodes;
  }

  /** The node that has the address as its own; the set "node IPs" has all addresses of all hosts. */
  nodeAt({ text }: IpAddress): NodeView | undefined {
    this.#nodeOf ??= new Map(
      [...this.nodes.values()].flatMap((node) => node.addresses.map((ip) => [ip.text, node] as const)),
    );
    return this.#nodeOf.get(text);
  }

  modeOf(node: NodeView | undefined): GatewayMode {
    const { gatewayMode } = this.facts;
    if (gatewayMode !== undefined) return gatewayMode;
    return node?.gateway?.mode === "local" ? "local" : "shared";
  }

  namespaceLabels(namespace: string): Labels {
    const object = this.snapshot.get("namespaces", "", namespace);
    return object ? labelsOfNamespace(object) : {};
  }

  /** Namespaces with these labels, by name. */
  namespaces(selector: LabelSelector): string[] {
    const found = [...this.snapshot.list("namespaces")].filter((object) =>
      selector.matches(labelsOfNamespace(object)),
    );
    return found.map(({ metadata }) => metadata.name ?? "").sort();
  }

  pod(namespace: string, name: string): PodView | undefined {
    const object = this.snapshot.get("pods", namespace, name);
    return object && podView(object);
  }

  pods(namespace?: string): PodView[] {
    return [...this.snapshot.list("pods", namespace)].map(podView);
  }

  /** The live pod that has the address in the network. */
  podAt(network: Network, { text }: IpAddress): PodView | undefined {
    return (this.#podsOf.get(network.name) ?? atOnce(this.#readAddresses(network))).get(text);
  }

  /** Reads everything once, with turns for others in between: what is asked afterwards finds it read. */
  *read(): Steps<void> {
    for (const kind of NEEDED_KINDS) for (const _object of this.snapshot.list(fullName(kind))) yield;
    for (const network of [this.networks.default, ...this.networks.own.values()]) {
      if (!this.#podsOf.has(network.name)) yield* this.#readAddresses(network);
    }
  }

  *#readAddresses(network: Network): Steps<ReadonlyMap<string, PodView>> {
    const table = new Map<string, PodView>();
    const namespaces = network.isDefault
      ? [undefined]
      : new Set(network.attachments.map(({ metadata }) => metadata.namespace));
    for (const namespace of namespaces) {
      for (const object of this.snapshot.list("pods", namespace)) {
        const pod = podView(object);
        if (isLive(pod)) for (const { text } of this.addressesOf(pod, network)) table.set(text, pod);
        yield;
      }
    }
    this.#podsOf.set(network.name, table);
    return table;
  }

  /** The pod's addresses in the network; none where it is not in it, or has none yet. */
  addressesOf(pod: PodView, { isDefault, attachments }: Network): readonly IpAddress[] {
    if (!isDefault) {
      const own = attachments.filter(({ metadata }) => metadata.namespace === pod.namespace);
      return own.flatMap((attachment) => annotatedAddresses(pod, attachmentKey(attachment)));
    }
    const annotated = annotatedAddresses(pod, "default");
    return annotated.length > 0 ? annotated : pod.statusAddresses;
  }

  addressOf(pod: PodView, network: Network, family: IpFamily): IpAddress | undefined {
    return this.addressesOf(pod, network).find((ip) => ip.family === family);
  }
}

/** An API server gives every namespace its name as a label; one that is only written down does not have it yet. */
const labelsOfNamespace = oncePer(({ metadata }: KubeObject): Labels => {
  const { name = "", labels = {}, uid } = metadata;
  return uid === undefined ? { [NAMESPACE_NAME]: name, ...labels } : labels;
});

const readSelectors = new WeakMap<object, LabelSelector>();

/** The selector at a place of an object, read once; one that cannot be understood selects nothing. */
export function selectorIn(selector: unknown): LabelSelector {
  if (typeof selector !== "object" || selector === null) return labelSelectorFromObject(undefined);
  let read = readSelectors.get(selector);
  if (read === undefined) {
    try {
      read = labelSelectorFromObject(selector);
    } catch {
      read = labelSelectorFromObject(undefined);
    }
    readSelectors.set(selector, read);
  }
  return read;
}

/** Everything is selected where nothing is said. */
export const selectorOrAll = (selector: unknown): LabelSelector => selectorIn(selector ?? {});

export const objectKey = ({ metadata }: KubeObject): string =>
  metadata.namespace ? `${metadata.namespace}/${metadata.name ?? ""}` : (metadata.name ?? "");
