// A cluster as a verdict asks about it: nodes, pods and networks of a snapshot. What nobody asks for is not looked at.
import type { Cidr, IpAddress, IpFamily } from "../../meta/ip.ts";
import { type LabelSelector, labelSelectorFromObject } from "../../meta/label-selector.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import { oncePer } from "../../meta/once-per.ts";
import { atOnce, type Steps } from "../../meta/steps.ts";
import type { ClusterFacts, GatewayMode, Snapshot } from "../snapshot.ts";
import { networksIn } from "./cidr-texts.ts";
import { attachmentKey, type Network, Networks } from "./network-view.ts";
import { type NodeView, nodeView } from "./node-view.ts";
import { Indexes, type Lookup, type ObjectIndex } from "./object-index.ts";
import { annotatedAddresses, attachedAddresses, isLive, type PodView, podView } from "./pod-view.ts";

const NAMESPACE_NAME = "kubernetes.io/metadata.name";

const FAMILIES: readonly IpFamily[] = [4, 6];

type Labels = Readonly<Record<string, string>>;

export class Cluster {
  readonly snapshot: Snapshot;
  readonly facts: ClusterFacts;
  readonly networks: Networks;
  readonly transitSubnets: readonly Cidr[];
  readonly masqueradeSubnets: readonly Cidr[];
  readonly serviceSubnets: readonly Cidr[];
  readonly #indexes: Indexes;
  readonly #inUse = new Map<Lookup, ObjectIndex>();

  /** `indexes` are those of the cluster before this one, for which little changes from one to the next. */
  constructor(snapshot: Snapshot, facts: ClusterFacts, indexes: Indexes = new Indexes()) {
    this.snapshot = snapshot;
    this.facts = facts;
    this.#indexes = indexes;
    this.networks = new Networks(snapshot, facts);
    this.transitSubnets = networksIn(facts.transitSubnets);
    this.masqueradeSubnets = networksIn(facts.masqueradeSubnets);
    this.serviceSubnets = networksIn(facts.serviceSubnets);
  }

  get nodes(): ReadonlyMap<string, NodeView> {
    return nodesOf(this.snapshot.list("nodes"));
  }

  /** The node that has the address as its own; the set "node IPs" has all addresses of all hosts. */
  nodeAt({ text }: IpAddress): NodeView | undefined {
    return nodesByAddress(this.snapshot.list("nodes")).get(text);
  }

  /** All objects of a kind by their keys. */
  by(lookup: Lookup): ObjectIndex {
    return this.#inUse.get(lookup) ?? atOnce(this.#readFor(lookup));
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
    const found = this.snapshot
      .list("namespaces")
      .filter((object) => selector.matches(labelsOfNamespace(object)));
    return found.map(({ metadata }) => metadata.name ?? "").sort();
  }

  pod(namespace: string, name: string): PodView | undefined {
    const object = this.snapshot.get("pods", namespace, name);
    return object && podView(object);
  }

  pods(namespace?: string): PodView[] {
    return this.snapshot.list("pods", namespace).map(podView);
  }

  /** The live pod that has the address in the network. */
  podAt({ isDefault, attachments }: Network, { text }: IpAddress): PodView | undefined {
    const pods = this.by(PODS_BY_ADDRESS);
    if (isDefault) return lastPod(pods.get(inNetwork("default", text)));
    for (const attachment of attachments) {
      const key = attachmentKey(attachment);
      const inside = pods
        .get(inNetwork(key, text))
        ?.filter(({ metadata }) => metadata.namespace === attachment.metadata.namespace);
      const pod = lastPod(inside);
      if (pod) return pod;
    }
    return undefined;
  }

  /** Reads everything once, with turns for others in between: what is asked or looked up afterwards is at hand. */
  *readAhead(lookups: readonly Lookup[] = []): Steps<void> {
    yield* this.snapshot.readAhead?.() ?? [];
    for (const lookup of [PODS_BY_ADDRESS, ...lookups]) yield* this.#readFor(lookup);
  }

  *#readFor(lookup: Lookup): Steps<ObjectIndex> {
    const index = yield* this.#indexes.of(this.snapshot.list(lookup.resource), lookup);
    this.#inUse.set(lookup, index);
    return index;
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

  /** The families of which the pod has an address in the network. */
  familiesOf(pod: PodView, network: Network): readonly IpFamily[] {
    return FAMILIES.filter((family) => this.addressOf(pod, network, family));
  }
}

const nodesOf = oncePer(
  (nodes: readonly KubeObject[]): ReadonlyMap<string, NodeView> =>
    new Map(nodes.map(nodeView).map((node) => [node.name, node])),
);

const nodesByAddress = oncePer(
  (nodes: readonly KubeObject[]): ReadonlyMap<string, NodeView> =>
    new Map(nodes.map(nodeView).flatMap((node) => node.addresses.map((ip) => [ip.text, node] as const))),
);

const inNetwork = (attachment: string, address: string): string => `${attachment} ${address}`;

/** Of a live pod its addresses, each with the network that it is in. */
function addressesInNetworks(object: KubeObject): string[] {
  const pod = podView(object);
  if (!isLive(pod)) return [];
  const attached = attachedAddresses(pod);
  const keys = [...attached].flatMap(([attachment, addresses]) =>
    addresses.map(({ text }) => inNetwork(attachment, text)),
  );
  if ((attached.get("default") ?? []).length > 0) return keys;
  return [...keys, ...pod.statusAddresses.map(({ text }) => inNetwork("default", text))];
}

const PODS_BY_ADDRESS: Lookup = { resource: "pods", keysOf: addressesInNetworks };

const lastPod = (objects: readonly KubeObject[] | undefined): PodView | undefined => {
  const object = objects?.at(-1);
  return object && podView(object);
};

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
