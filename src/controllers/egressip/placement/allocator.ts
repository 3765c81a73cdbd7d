// Who holds which address, and who could: the in-memory truth of the EgressIP controller. Pure state, no API. An
// address is held by one EgressIP on one node at most. Addresses are canonical texts.
import { cidrContains, type IpAddress } from "../../../meta/ip.ts";
import type { Capacity } from "../cloud/cloud-config.ts";
import { NetworkIndex } from "../network-index.ts";
import { isEligible, isUsable, type NodeState } from "../node-state.ts";

export interface Holder {
  readonly egressIp: string;
  readonly node: string;
}

interface NodeRecord {
  state: NodeState;
  /** Address → EgressIP. */
  readonly allocations: Map<string, string>;
  /** How many of the allocations are IPv4. */
  ipv4: number;
}

export class Allocator {
  readonly #nodes = new Map<string, NodeRecord>();
  readonly #eligible = new Set<NodeRecord>();
  readonly #networks = new NetworkIndex<NodeRecord>();
  readonly #holders = new Map<string, Holder>();
  /** EgressIP → address → node. */
  readonly #byEgressIp = new Map<string, Map<string, string>>();
  /** Address in host-cidrs → nodes. */
  readonly #hosts = new Map<string, Set<string>>();
  /** Nodes whose host-cidrs cannot be read. */
  readonly #unreadable = new Set<string>();

  node(name: string): NodeState | undefined {
    return this.#nodes.get(name)?.state;
  }

  nodes(): NodeState[] {
    return [...this.#nodes.values()].map(({ state }) => state);
  }

  /** Takes in the state of a node. One that must not be used any more loses its allocations; their EgressIPs are returned. */
  setNode(state: NodeState): string[] {
    const record = this.#nodes.get(state.name) ?? { state, allocations: new Map(), ipv4: 0 };
    if (this.#nodes.has(state.name)) this.#unindex(record);
    record.state = state;
    this.#nodes.set(state.name, record);
    this.#index(record);
    return isUsable(state) ? [] : this.#empty(record);
  }

  /** Forgets a node and its allocations; their EgressIPs are returned. */
  removeNode(name: string): string[] {
    const record = this.#nodes.get(name);
    if (!record) return [];
    this.#unindex(record);
    this.#nodes.delete(name);
    return this.#empty(record);
  }

  get hasEligibleNode(): boolean {
    return this.#eligible.size > 0;
  }

  /** False while some node's host-cidrs cannot be read: then any address might be a host's. */
  get hostAddressesKnown(): boolean {
    return this.#unreadable.size === 0;
  }

  /** The node that has the address as its own; of several the first by name. */
  hostOf(address: string): string | undefined {
    const nodes = this.#hosts.get(address);
    return nodes && [...nodes].sort()[0];
  }

  holderOf(address: string): Holder | undefined {
    return this.#holders.get(address);
  }

  /** The addresses of an EgressIP with the nodes that hold them. */
  heldBy(egressIp: string): ReadonlyMap<string, string> {
    return this.#byEgressIp.get(egressIp) ?? NOTHING_HELD;
  }

  /** True if the node is known and has a network for the address, whether it can be used or not. */
  hasNetwork(name: string, ip: IpAddress): boolean {
    const state = this.#nodes.get(name)?.state;
    return state?.known === true && hasNetwork(state, ip);
  }

  /** True if the node can be used and has a network for the address. */
  canHost(name: string, ip: IpAddress): boolean {
    const state = this.#nodes.get(name)?.state;
    return state !== undefined && isEligible(state) && hasNetwork(state, ip);
  }

  /**
   * The node for a new address of an EgressIP: one that holds none of its addresses yet and has room, with the fewest
   * allocations, then the first by name. Where eligible nodes have the address in a secondary network only those come into question.
   */
  chooseNode(egressIp: string, ip: IpAddress): string | undefined {
    const networks = this.#networks.find(ip);
    const secondary = networks
      .flatMap((network) => [...network.secondary])
      .filter((record) => this.#eligible.has(record) && !inPrimary(record.state, ip));
    const candidates = secondary.length > 0 ? secondary : networks.flatMap((network) => [...network.primary]);
    const used = new Set(this.heldBy(egressIp).values());
    let best: NodeRecord | undefined;
    for (const record of candidates) {
      if (!this.#eligible.has(record) || used.has(record.state.name) || !hasRoom(record, ip)) continue;
      if (best === undefined || comesBefore(record, best)) best = record;
    }
    return best?.state.name;
  }

  /** Notes that the node holds the address for the EgressIP; false if the address is taken or the node unknown. */
  allocate(egressIp: string, address: string, node: string): boolean {
    const record = this.#nodes.get(node);
    if (!record?.state.known || this.#holders.has(address)) return false;
    record.allocations.set(address, egressIp);
    if (isIpv4(address)) record.ipv4++;
    this.#holders.set(address, { egressIp, node });
    const held = this.#byEgressIp.get(egressIp);
    if (held) held.set(address, node);
    else this.#byEgressIp.set(egressIp, new Map([[address, node]]));
    return true;
  }

  /** Frees the address if the EgressIP holds it. */
  release(egressIp: string, address: string): void {
    const held = this.#byEgressIp.get(egressIp);
    const node = held?.get(address);
    if (!held || node === undefined) return;
    const record = this.#nodes.get(node);
    if (record?.allocations.delete(address) && isIpv4(address)) record.ipv4--;
    this.#holders.delete(address);
    held.delete(address);
    if (held.size === 0) this.#byEgressIp.delete(egressIp);
  }

  releaseAll(egressIp: string): void {
    for (const address of [...this.heldBy(egressIp).keys()]) this.release(egressIp, address);
  }

  /** Every node with what it holds, for inspection. */
  describe(): { node: string; eligible: boolean; allocations: Record<string, string> }[] {
    return [...this.#nodes.values()].map((record) => ({
      node: record.state.name,
      eligible: isEligible(record.state),
      allocations: Object.fromEntries(record.allocations),
    }));
  }

  #empty(record: NodeRecord): string[] {
    const { allocations } = record;
    const egressIps = new Set(allocations.values());
    for (const [address, egressIp] of [...allocations]) this.release(egressIp, address);
    allocations.clear(); // of a node that is gone, release no longer finds them
    record.ipv4 = 0;
    return [...egressIps];
  }

  #index(record: NodeRecord): void {
    const { state } = record;
    if (isEligible(state)) this.#eligible.add(record);
    this.#networks.add(record, state);
    if (state.hostAddresses === undefined) this.#unreadable.add(state.name);
    for (const address of state.hostAddresses ?? []) {
      const nodes = this.#hosts.get(address);
      if (nodes) nodes.add(state.name);
      else this.#hosts.set(address, new Set([state.name]));
    }
  }

  #unindex(record: NodeRecord): void {
    const { state } = record;
    this.#eligible.delete(record);
    this.#networks.remove(record, state);
    this.#unreadable.delete(state.name);
    for (const address of state.hostAddresses ?? []) {
      const nodes = this.#hosts.get(address);
      nodes?.delete(state.name);
      if (nodes?.size === 0) this.#hosts.delete(address);
    }
  }
}

const NOTHING_HELD: ReadonlyMap<string, string> = new Map();

const isIpv4 = (address: string): boolean => !address.includes(":");

/** True if one more address stays within the node's limits. */
function hasRoom({ state, allocations, ipv4 }: NodeRecord, { family }: IpAddress): boolean {
  const { capacity } = state;
  return (
    isBelow(allocations.size, capacity.total) &&
    (family === 4 ? isBelow(ipv4, capacity.ipv4) : isBelow(allocations.size - ipv4, capacity.ipv6))
  );
}

const isBelow = (count: number, limit: Capacity["total"]): boolean => limit === undefined || count < limit;

const inPrimary = ({ primary }: NodeState, ip: IpAddress): boolean =>
  primary.some((cidr) => cidrContains(cidr, ip));

/** True if the address lies in any network of the node. */
export const hasNetwork = (state: NodeState, ip: IpAddress): boolean =>
  inPrimary(state, ip) || state.secondary.some((cidr) => cidrContains(cidr, ip));

function comesBefore(a: NodeRecord, b: NodeRecord): boolean {
  const difference = a.allocations.size - b.allocations.size;
  return difference !== 0 ? difference < 0 : a.state.name < b.state.name;
}
