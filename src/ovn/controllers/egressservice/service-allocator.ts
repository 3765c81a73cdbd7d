// In-memory allocations of the EgressService controller, and the services without a node. Pure state without API calls.
// A service has at most one node, which is usable.

import { InvalidSelectorError } from "../../../apimachinery/meta/label-requirement.ts";
import type { LabelSelector } from "../../../apimachinery/meta/label-selector.ts";
import type { Requirement, readHost } from "../../assignment/egress-service.ts";

type Host = Readonly<ReturnType<typeof readHost>>;

interface Allocation {
  readonly node: string;
  /** The selector at the time of the choice; undefined if it was invalid, and then the service stays on the node. */
  readonly selector: LabelSelector | undefined;
}

interface HostRecord {
  state: Host;
  /** The node had a service since it became ready. Unused nodes are preferred, and their reachability is not probed. */
  used: boolean;
  /** The last probe failed: the node has lost its services and gets no new ones. */
  draining: boolean;
  readonly services: Set<string>;
}

export class ServiceAllocator {
  readonly #hosts = new Map<string, HostRecord>();
  readonly #allocations = new Map<string, Allocation>();
  readonly #waiting = new Map<string, LabelSelector>();

  host(name: string): Host | undefined {
    return this.#hosts.get(name)?.state;
  }

  nodeOf(key: string): string | undefined {
    return this.#allocations.get(key)?.node;
  }

  servicesOn(node: string): ReadonlySet<string> {
    return this.#hosts.get(node)?.services ?? NO_SERVICES;
  }

  /**
   * Stores the state of a node. Returns the services to enqueue: those that lost the node, those whose selector no longer
   * matches it, and unallocated ones whose selector matches it.
   */
  setNode(state: Host): string[] {
    const record = this.#hosts.get(state.name);
    if (record) record.state = state;
    else this.#hosts.set(state.name, { state, used: false, draining: false, services: new Set() });
    if (!state.ready) return record ? this.#forgetServices(record) : [];
    const unsuited = [...(record?.services ?? [])].filter((key) => !this.#suits(key, state));
    return [...unsuited, ...this.#waitingFor(state)];
  }

  /** Removes a node; returns the services that lost it. */
  removeNode(name: string): string[] {
    const record = this.#hosts.get(name);
    this.#hosts.delete(name);
    return record ? this.#forgetServices(record) : [];
  }

  /** Reports whether the next probe changes the node's state. */
  isMisjudged(name: string): boolean {
    const record = this.#hosts.get(name);
    return record?.used === true && record.draining === record.state.answers;
  }

  /** Probes the nodes that have or had services; returns changed nodes and the services to enqueue. */
  checkReachability(): { nodes: string[]; services: string[] } {
    const changed = [...this.#hosts.values()].filter(({ state }) => this.isMisjudged(state.name));
    const services = changed.flatMap((record) => {
      if (!record.state.answers) return this.#drain(record);
      Object.assign(record, { draining: false, used: false });
      return this.#waitingFor(record.state);
    });
    return { nodes: changed.map(({ state }) => state.name), services };
  }

  /**
   * Called once after allocations were rebuilt at the start. A node that fails its probe and has no service counts as
   * drained, so it gets no services that it would lose again.
   */
  drainUnanswering(): void {
    for (const record of this.#hosts.values()) {
      if (!record.state.answers && record.services.size === 0)
        Object.assign(record, { draining: true, used: true });
    }
  }

  /** Restores an allocation from status.host if it is still valid, so that a restart moves nothing. */
  keep(key: string, node: string, requirement: Requirement): void {
    const host = this.host(node);
    if (!host || typeof requirement === "string") return;
    const selector = requirement instanceof InvalidSelectorError ? undefined : requirement;
    if (selector?.matches(host.labels) ?? true) this.#allocate(key, { node, selector });
  }

  /**
   * Keeps or chooses the node of one EgressService; idempotent. Returns the host for the status; undefined means that no
   * host is written if the status has none.
   */
  place(key: string, requirement: Requirement): string | undefined {
    const current = this.nodeOf(key);
    // With an invalid selector the service keeps its node.
    if (requirement instanceof InvalidSelectorError) return current;
    const isUseless = typeof requirement === "string";
    const stays = !isUseless && current !== undefined && requirement.matches(this.host(current)?.labels);
    if (!stays) this.release(key);
    if (isUseless) return requirement;
    const node = stays ? current : this.#choose(requirement);
    if (node !== undefined && this.#allocate(key, { node, selector: requirement })) return node;
    // No node is suitable: the service waits without one.
    this.release(key);
    this.#waiting.set(key, requirement);
    return undefined;
  }

  /** Removes the service's allocation, or its place among the unallocated services. */
  release(key: string): void {
    this.#waiting.delete(key);
    const node = this.nodeOf(key);
    if (node === undefined) return;
    this.#allocations.delete(key);
    this.#hosts.get(node)?.services.delete(key);
  }

  describe(): { node: string; usable: boolean; services: string[] }[] {
    return [...this.#hosts.values()].map((record) => ({
      node: record.state.name,
      usable: isUsable(record),
      services: [...record.services].sort(),
    }));
  }

  /** A matching unused node, else the one with the fewest services; ties by name (src/ovn/rules.md R111). */
  #choose(selector: LabelSelector): string | undefined {
    let best: HostRecord | undefined;
    for (const record of this.#hosts.values()) {
      if (!isUsable(record) || !selector.matches(record.state.labels)) continue;
      if (best === undefined || comesBefore(record, best)) best = record;
    }
    return best?.state.name;
  }

  /** Allocates the service to the node; returns false if the node is not usable. Idempotent. */
  #allocate(key: string, allocation: Allocation): boolean {
    const record = this.#hosts.get(allocation.node);
    if (!record || !isUsable(record)) return false;
    this.release(key);
    this.#allocations.set(key, allocation);
    record.services.add(key);
    record.used = true;
    return true;
  }

  #suits(key: string, { labels }: Host): boolean {
    return this.#allocations.get(key)?.selector?.matches(labels) ?? true;
  }

  #waitingFor({ labels }: Host): string[] {
    return [...this.#waiting].filter(([, selector]) => selector.matches(labels)).map(([key]) => key);
  }

  #drain(record: HostRecord): string[] {
    const lost = [...record.services];
    for (const key of lost) this.#allocations.delete(key);
    record.services.clear();
    record.draining = true;
    return lost;
  }

  #forgetServices(record: HostRecord): string[] {
    const lost = this.#drain(record);
    Object.assign(record, { draining: false, used: false });
    return lost;
  }
}

const isUsable = ({ state, draining }: HostRecord): boolean => state.ready && !draining;

const NO_SERVICES: ReadonlySet<string> = new Set();

function comesBefore(a: HostRecord, b: HostRecord): boolean {
  if (a.used !== b.used) return b.used;
  const difference = a.services.size - b.services.size;
  return difference !== 0 ? difference < 0 : a.state.name < b.state.name;
}
