// Read model for verdicts: nodes, pods and networks of a snapshot, computed on first use.
import type { Cidr, IpAddress, IpFamily } from "../../apimachinery/meta/ip.ts";
import { type LabelSelector, labelSelectorFromObject } from "../../apimachinery/meta/label-selector.ts";
import { memoize } from "../../apimachinery/meta/memoize.ts";
import type { KubeObject } from "../../apimachinery/meta/object-meta.ts";
import { type Coroutine, runSync } from "../../apimachinery/scheduling/coroutine.ts";
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

  /** `indexes`: shared with the previous cluster, so that only changed objects are indexed again. */
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

  /** The node with this host address, among all known addresses of all nodes. */
  nodeAt({ text }: IpAddress): NodeView | undefined {
    return nodesByAddress(this.snapshot.list("nodes")).get(text);
  }

  /** The index of a resource by the keys of the lookup. */
  by(lookup: Lookup): ObjectIndex {
    return this.#inUse.get(lookup) ?? runSync(this.#readFor(lookup));
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

  /** Names of the namespaces that the selector matches, sorted. */
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

  /** The live pod with the address in the network. */
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

  /** Loads the snapshot and builds the indexes in steps that yield the event loop. */
  *readAhead(lookups: readonly Lookup[] = []): Coroutine<void> {
    yield* this.snapshot.readAhead?.() ?? [];
    for (const lookup of [PODS_BY_ADDRESS, ...lookups]) yield* this.#readFor(lookup);
  }

  *#readFor(lookup: Lookup): Coroutine<ObjectIndex> {
    const index = yield* this.#indexes.of(this.snapshot.list(lookup.resource), lookup);
    this.#inUse.set(lookup, index);
    return index;
  }

  /** The pod's addresses in the network; empty if it is not attached or has none yet. */
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

  /** The IP families of the pod's addresses in the network. */
  familiesOf(pod: PodView, network: Network): readonly IpFamily[] {
    return FAMILIES.filter((family) => this.addressOf(pod, network, family));
  }
}

const nodesOf = memoize(
  (nodes: readonly KubeObject[]): ReadonlyMap<string, NodeView> =>
    new Map(nodes.map(nodeView).map((node) => [node.name, node])),
);

const nodesByAddress = memoize(
  (nodes: readonly KubeObject[]): ReadonlyMap<string, NodeView> =>
    new Map(nodes.map(nodeView).flatMap((node) => node.addresses.map((ip) => [ip.text, node] as const))),
);

const inNetwork = (attachment: string, address: string): string => `${attachment} ${address}`;

/** Index keys of a live pod: each address with its network. */
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

/** Adds kubernetes.io/metadata.name, which the API server sets, to namespaces with a uid; manifests without uid lack it. */
const labelsOfNamespace = memoize(({ metadata }: KubeObject): Labels => {
  const { name = "", labels = {}, uid } = metadata;
  return uid === undefined ? { [NAMESPACE_NAME]: name, ...labels } : labels;
});

const readSelectors = new WeakMap<object, LabelSelector>();

/** Parses a selector, memoized by object; an invalid selector matches nothing. */
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

/** An absent selector matches everything. */
export const selectorOrAll = (selector: unknown): LabelSelector => selectorIn(selector ?? {});

export const objectKey = ({ metadata }: KubeObject): string =>
  metadata.namespace ? `${metadata.namespace}/${metadata.name ?? ""}` : (metadata.name ?? "");
