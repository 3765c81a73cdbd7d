// Which node has which service, and which services wait for one: the in-memory truth of the EgressService controller.
// Pure state, no API. A service has one node at most, and only a usable one.

import { InvalidSelectorError } from "../../meta/label-requirement.ts";
import type { LabelSelector } from "../../meta/label-selector.ts";
import type { Requirement, readHost } from "../../verdict/assignment/egress-service.ts";

type Host = Readonly<ReturnType<typeof readHost>>;

interface Allocation {
  readonly node: string;
  /** What the node had to match; undefined if that could not be understood, which holds the service where it is. */
  readonly selector: LabelSelector | undefined;
}

interface HostRecord {
  state: Host;
  /** It had a service since it became ready. Nodes that had none go before those that were emptied, and are not asked. */
  used: boolean;
  /** It did not answer when it was last asked: it has lost its services and gets none. */
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
   * Takes in the state of a node; answers with the services to look at: those that lost the node, those that it does
   * not suit any more, and those that wait for one like it.
   */
  setNode(state: Host): string[] {
    const record = this.#hosts.get(state.name);
    if (record) record.state = state;
    else this.#hosts.set(state.name, { state, used: false, draining: false, services: new Set() });
    if (!state.ready) return record ? this.#forgetServices(record) : [];
    const unsuited = [...(record?.services ?? [])].filter((key) => !this.#suits(key, state));
    return [...unsuited, ...this.#waitingFor(state)];
  }

  /** Forgets a node; answers with the services that lost it. */
  removeNode(name: string): string[] {
    const record = this.#hosts.get(name);
    this.#hosts.delete(name);
    return record ? this.#forgetServices(record) : [];
  }

  /** True if the next check finds that the node is not what it is held to be. */
  isMisjudged(name: string): boolean {
    const record = this.#hosts.get(name);
    return record?.used === true && record.draining === record.state.answers;
  }

  /** Asks the nodes that have or had services; answers with the nodes that changed and the services to look at. */
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
   * For the start, when what the statuses say has been taken in: a node that does not answer and has no service has lost
   * its services before, and would lose again what it is given.
   */
  drainUnanswering(): void {
    for (const record of this.#hosts.values()) {
      if (!record.state.answers && record.services.size === 0)
        Object.assign(record, { draining: true, used: true });
    }
  }

  /** Notes what the status said before the controller started, where it still holds: a restart moves nothing. */
  keep(key: string, node: string, requirement: Requirement): void {
    const host = this.host(node);
    if (!host || typeof requirement === "string") return;
    const selector = requirement instanceof InvalidSelectorError ? undefined : requirement;
    if (selector?.matches(host.labels) ?? true) this.#allocate(key, { node, selector });
  }

  /**
   * One look at one EgressService: whether its node is right, and where it goes if not. Repeating it changes nothing more.
   * Answers with the host that the status has to say; undefined when none is to be written where there is none.
   */
  place(key: string, requirement: Requirement): string | undefined {
    const current = this.nodeOf(key);
    // A service that has a node stays where it is until the selector is readable again.
    if (requirement instanceof InvalidSelectorError) return current;
    const isUseless = typeof requirement === "string";
    const stays = !isUseless && current !== undefined && requirement.matches(this.host(current)?.labels);
    if (!stays) this.release(key);
    if (isUseless) return requirement;
    const node = stays ? current : this.#choose(requirement);
    if (node !== undefined && this.#allocate(key, { node, selector: requirement })) return node;
    // It has none in the meantime.
    this.release(key);
    this.#waiting.set(key, requirement);
    return undefined;
  }

  /** The service has no node and waits for none. */
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

  /** The node that matches and never had a service, else the one with the fewest; then the first by name. */
  #choose(selector: LabelSelector): string | undefined {
    let best: HostRecord | undefined;
    for (const record of this.#hosts.values()) {
      if (!isUsable(record) || !selector.matches(record.state.labels)) continue;
      if (best === undefined || comesBefore(record, best)) best = record;
    }
    return best?.state.name;
  }

  /** Gives the service to the node; false if that is not usable. A service that has the node keeps it. */
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
