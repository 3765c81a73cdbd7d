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
   * `planned` is what the EgressIP is going to hold; what it holds beside that counts as freed.
   */
  chooseNode(egressIp: string, ip: IpAddress, planned = this.heldBy(egressIp)): string | undefined {
    const freed = freedOf(this.heldBy(egressIp), planned);
    const networks = this.#networks.find(ip);
    const secondary = networks
      .flatMap((network) => [...network.secondary])
      .filter((record) => this.#eligible.has(record) && !inPrimary(record.state, ip));
    const candidates = secondary.length > 0 ? secondary : networks.flatMap((network) => [...network.primary]);
    const used = new Set(planned.values());
    let best: Candidate | undefined;
    for (const record of candidates) {
      const { name } = record.state;
      if (!this.#eligible.has(record) || used.has(name)) continue;
      const load = loadOf(record, freed.get(name));
      if (hasRoom(record.state, load, ip) && comesBefore({ name, load }, best)) best = { name, load };
    }
    return best?.name;
  }

  /** True if addresses can be noted on the node. */
  isKnown(node: string): boolean {
    return this.#nodes.get(node)?.state.known === true;
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

interface Load {
  readonly total: number;
  readonly ipv4: number;
}

interface Candidate {
  readonly name: string;
  readonly load: Load;
}

/** Node → the addresses that it is not to hold any more. */
function freedOf(held: ReadonlyMap<string, string>, planned: ReadonlyMap<string, string>) {
  const freed = new Map<string, string[]>();
  if (held === planned) return freed;
  for (const [address, node] of held) {
    if (planned.get(address) !== node) freed.set(node, [...(freed.get(node) ?? []), address]);
  }
  return freed;
}

const loadOf = ({ allocations, ipv4 }: NodeRecord, freed: readonly string[] = []): Load => ({
  total: allocations.size - freed.length,
  ipv4: ipv4 - freed.filter(isIpv4).length,
});

/** True if one more address stays within the node's limits. */
function hasRoom({ capacity }: NodeState, { total, ipv4 }: Load, { family }: IpAddress): boolean {
  const isOfFamily = family === 4 ? isBelow(ipv4, capacity.ipv4) : isBelow(total - ipv4, capacity.ipv6);
  return isBelow(total, capacity.total) && isOfFamily;
}

const isBelow = (count: number, limit: Capacity["total"]): boolean => limit === undefined || count < limit;

const inPrimary = ({ primary }: NodeState, ip: IpAddress): boolean =>
  primary.some((cidr) => cidrContains(cidr, ip));

/** True if the address lies in any network of the node. */
export const hasNetwork = (state: NodeState, ip: IpAddress): boolean =>
  inPrimary(state, ip) || state.secondary.some((cidr) => cidrContains(cidr, ip));

function comesBefore(a: Candidate, b: Candidate | undefined): boolean {
  if (b === undefined) return true;
  const difference = a.load.total - b.load.total;
  return difference !== 0 ? difference < 0 : a.name < b.name;
}
