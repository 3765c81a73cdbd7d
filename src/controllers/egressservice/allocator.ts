// Which node has which service, and which services wait for one: the in-memory truth of the EgressService controller.
// Pure state, no API. A service has one node at most, and only a usable one.
import type { LabelSelector } from "../../meta/label-selector.ts";
import type { NodeState } from "./node-state.ts";

export interface Allocation {
  readonly node: string;
  /** What the node had to match; undefined if that could not be understood, which holds the service where it is. */
  readonly selector: LabelSelector | undefined;
}

interface NodeRecord {
  state: NodeState;
  /** It had a service since it became ready. Nodes that had none go before those that were emptied, and are not asked. */
  used: boolean;
  /** It did not answer when it was last asked: it has lost its services and gets none. */
  draining: boolean;
  readonly services: Set<string>;
}

export class ServiceAllocator {
  readonly #nodes = new Map<string, NodeRecord>();
  readonly #allocations = new Map<string, Allocation>();
  readonly #waiting = new Map<string, LabelSelector>();

  node(name: string): NodeState | undefined {
    return this.#nodes.get(name)?.state;
  }

  /**
   * Takes in the state of a node; answers with the services to look at: those that lost the node, those that it does
   * not suit any more, and those that wait for one like it.
   */
  setNode(state: NodeState): string[] {
    const record = this.#nodes.get(state.name);
    if (record) record.state = state;
    else this.#nodes.set(state.name, { state, used: false, draining: false, services: new Set() });
    if (!state.ready) return record ? this.#forgetServices(record) : [];
    const unsuited = [...(record?.services ?? [])].filter((key) => !this.#suits(key, state));
    return [...unsuited, ...this.#waitingFor(state)];
  }

  /** True if the next check finds that the node is not what it is held to be. */
  isMisjudged(name: string): boolean {
    const record = this.#nodes.get(name);
    return record?.used === true && record.draining === record.state.answers;
  }

  /** Asks the nodes that have or had services; answers with the nodes that changed and the services to look at. */
  checkReachability(): { nodes: string[]; services: string[] } {
    const changed = [...this.#nodes.values()].filter(({ state }) => this.isMisjudged(state.name));
    const services = changed.flatMap((record) => {
      if (!record.state.answers) return this.#drain(record);
      Object.assign(record, { draining: false, used: false });
      return this.#waitingFor(record.state);
    });
    return { nodes: changed.map(({ state }) => state.name), services };
  }

  /**
   * For the start, when what the statuses say has been taken in: a node that does not answer and has no service has lost
   * its services before, and would lose again what it is given.
   */
  drainUnanswering(): void {
    for (const record of this.#nodes.values()) {
      if (!record.state.answers && record.services.size === 0)
        Object.assign(record, { draining: true, used: true });
    }
  }

  /** Forgets a node; answers with the services that lost it. */
  removeNode(name: string): string[] {
    const record = this.#nodes.get(name);
    this.#nodes.delete(name);
    return record ? this.#forgetServices(record) : [];
  }

  allocationOf(key: string): Allocation | undefined {
    return this.#allocations.get(key);
  }

  servicesOn(node: string): ReadonlySet<string> {
    return this.#nodes.get(node)?.services ?? NO_SERVICES;
  }

  /** The node that matches and never had a service, else the one with the fewest; then the first by name. */
  chooseNode(selector: LabelSelector): string | undefined {
    let best: NodeRecord | undefined;
    for (const record of this.#nodes.values()) {
      if (!isUsable(record) || !selector.matches(record.state.labels)) continue;
      if (best === undefined || comesBefore(record, best)) best = record;
    }
    return best?.state.name;
  }

  /** Gives the service to the node; false if that is not usable. A service that has the node keeps it. */
  allocate(key: string, allocation: Allocation): boolean {
    const record = this.#nodes.get(allocation.node);
    if (!record || !isUsable(record)) return false;
    this.release(key);
    this.#allocations.set(key, allocation);
    record.services.add(key);
    record.used = true;
    return true;
  }

  /** Notes what kind of node the service waits for; it has none in the meantime. */
  wait(key: string, selector: LabelSelector): void {
    this.release(key);
    this.#waiting.set(key, selector);
  }

  /** The service has no node and waits for none. */
  release(key: string): void {
    this.#waiting.delete(key);
    const allocation = this.#allocations.get(key);
    if (!allocation) return;
    this.#allocations.delete(key);
    this.#nodes.get(allocation.node)?.services.delete(key);
  }

  /** Every node with its services, for inspection. */
  describe(): { node: string; usable: boolean; services: string[] }[] {
    return [...this.#nodes.values()].map((record) => ({
      node: record.state.name,
      usable: isUsable(record),
      services: [...record.services].sort(),
    }));
  }

  #suits(key: string, state: NodeState): boolean {
    return this.#allocations.get(key)?.selector?.matches(state.labels) ?? true;
  }

  #waitingFor({ labels }: NodeState): string[] {
    return [...this.#waiting].filter(([, selector]) => selector.matches(labels)).map(([key]) => key);
  }

  #drain(record: NodeRecord): string[] {
    const lost = [...record.services];
    for (const key of lost) this.#allocations.delete(key);
    record.services.clear();
    record.draining = true;
    return lost;
  }

  #forgetServices(record: NodeRecord): string[] {
    const lost = this.#drain(record);
    Object.assign(record, { draining: false, used: false });
    return lost;
  }
}

const isUsable = ({ state, draining }: NodeRecord): boolean => state.ready && !draining;

const NO_SERVICES: ReadonlySet<string> = new Set();

function comesBefore(a: NodeRecord, b: NodeRecord): boolean {
  if (a.used !== b.used) return b.used;
  const difference = a.services.size - b.services.size;
  return difference !== 0 ? difference < 0 : a.state.name < b.state.name;
}
