// What the map asks of the model: lists of what there is, and which EgressIPs are meant for whom.
import { type LabelSelector, labelSelectorFromObject } from "../../meta/label-selector.ts";
import type { Model, Touched } from "../data/model.ts";
import type { EgressIpRecord, PodRecord } from "../data/records.ts";
import type { Known } from "./facts.ts";

/** Two selectors, read once for each text. */
interface Selectors {
  readonly text: string;
  readonly namespaces: LabelSelector;
  readonly pods: LabelSelector;
}

const textOf = ({ namespaceSelector, podSelector }: EgressIpRecord): string =>
  JSON.stringify([namespaceSelector, podSelector]);

function selectorsOf(record: EgressIpRecord): Selectors {
  return {
    text: textOf(record),
    namespaces: read(record.namespaceSelector ?? {}),
    pods: read(record.podSelector ?? {}),
  };
}

/** A selector that cannot be understood selects nothing. */
function read(selector: unknown): LabelSelector {
  try {
    return labelSelectorFromObject(selector);
  } catch {
    return labelSelectorFromObject(undefined);
  }
}

export class KnownModel implements Known {
  readonly #model: Model;
  readonly #selectors = new Map<string, Selectors>();
  #namespacesOf: Map<string, string[]> | undefined;
  #egressIpsIn = new Map<string, EgressIpRecord[]>();

  constructor(model: Model) {
    this.#model = model;
  }

  get namespaces() {
    return [...this.#model.namespaces.values()];
  }
  get nodes() {
    return [...this.#model.nodes.values()];
  }
  get egressIps() {
    return [...this.#model.egressips.values()];
  }
  get egressServices() {
    return [...this.#model.egressservices.values()];
  }
  get cloudRequests() {
    return [...this.#model.cloudprivateipconfigs.values()];
  }

  podsIn(namespace: string): readonly PodRecord[] {
    const pods = [...this.#model.podsByNamespace.at(namespace)];
    return pods.sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  podCount(namespace: string): number {
    return this.#model.podsByNamespace.at(namespace).size;
  }

  loadBalancerOf(namespace: string, service: string): readonly string[] {
    return this.#model.services.named(service, namespace)?.loadBalancerAddresses ?? [];
  }

  namespacesOf(egressIp: string): readonly string[] {
    return this.#usage().get(egressIp) ?? [];
  }

  egressIpsOf(pod: PodRecord): readonly string[] {
    if (pod.isOnHost || pod.hasEnded) return [];
    this.#usage();
    const { namespace, labels } = pod;
    return (this.#egressIpsIn.get(namespace) ?? [])
      .filter(({ uid }) => this.#selectors.get(uid)?.pods.matches(labels))
      .map(({ name }) => name);
  }

  /** Whose labels or selectors changed is looked at anew. */
  take({ namespaces, egressips }: Touched): void {
    for (const [uid, before] of egressips) {
      const after = this.#model.egressips.get(uid);
      if (before && after && this.#selectors.get(uid)?.text === textOf(after)) continue;
      this.#selectors.delete(uid);
      this.#namespacesOf = undefined;
    }
    if (namespaces.size > 0) this.#namespacesOf = undefined;
  }

  #usage(): Map<string, string[]> {
    if (this.#namespacesOf) return this.#namespacesOf;
    const found = new Map<string, string[]>();
    this.#egressIpsIn = new Map(this.namespaces.map(({ name }) => [name, []]));
    const namespaces = this.namespaces.sort((a, b) => (a.name < b.name ? -1 : 1));
    for (const egressIp of this.#model.egressips.values()) {
      const selectors = this.#selectors.get(egressIp.uid) ?? selectorsOf(egressIp);
      this.#selectors.set(egressIp.uid, selectors);
      const matched = namespaces.filter(({ labels }) => selectors.namespaces.matches(labels));
      for (const { name } of matched) this.#egressIpsIn.get(name)?.push(egressIp);
      found.set(
        egressIp.name,
        matched.map(({ name }) => name),
      );
    }
    this.#namespacesOf = found;
    return found;
  }
}
