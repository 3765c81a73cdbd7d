// Adapter from the model and Usage to the lists that the map shows, in display order.
import type { Model, Touched } from "../data/model.ts";
import type { EgressIpRecord, PodRecord } from "../data/records.ts";
import { Usage } from "../data/usage.ts";
import type { Known } from "./facts.ts";

export class KnownModel implements Known {
  readonly #model: Model;
  readonly #usage: Usage;
  /** EgressIP uids sorted by name; undefined: invalidated by a created or deleted EgressIP. */
  #order: readonly string[] | undefined;

  constructor(model: Model) {
    this.#model = model;
    this.#usage = new Usage(model);
  }

  /** Must be called after each change of the model, with all that it touched. */
  take(touched: Touched): void {
    this.#usage.update(touched);
    for (const [uid, before] of touched.egressips)
      if (!before || !this.#model.egressips.get(uid)) this.#order = undefined;
  }

  get namespaces() {
    return [...this.#model.namespaces.values()];
  }
  get nodes() {
    return [...this.#model.nodes.values()];
  }
  get egressIps() {
    const { egressips } = this.#model;
    this.#order ??= [...egressips.values()].sort((a, b) => (a.name < b.name ? -1 : 1)).map(({ uid }) => uid);
    const records: EgressIpRecord[] = [];
    for (const uid of this.#order) {
      const record = egressips.get(uid);
      if (record) records.push(record);
    }
    return records;
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

  namespacesOf({ uid }: EgressIpRecord): readonly string[] {
    return this.#usage.namespacesOf(uid);
  }

  egressIpsOf(pod: PodRecord): readonly string[] {
    return this.#usage.egressIpsOf(pod).map(({ name }) => name);
  }
}
