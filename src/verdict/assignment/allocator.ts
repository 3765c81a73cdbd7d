// Who holds which address, and who could: the in-memory truth of the EgressIP controller. Pure state, no API. An
// address is held by one EgressIP on one node at most. Addresses are canonical texts.

import { type Cidr, cidrContains, type IpAddress, maskIp } from "../../meta/ip.ts";
import { NestedMap } from "../../meta/nested-map.ts";
import type { Holding } from "../snapshot.ts";
import { isEligible, isUsable, type NodeState } from "./node-state.ts";

export interface Holder {
  readonly egressIp: string;
  readonly node: string;
}

interface NodeRecord {
  state: NodeState;
  readonly allocations: Set<string>;
}

/** Why a node cannot have an address. */
export type Refusal =
  | "left out"
  | "not labelled"
  | "not ready"
  | "not known"
  | "not reachable"
  | "no network"
  /** It has the address in its primary network, and other nodes in a secondary one. */
  | "secondary elsewhere"
  /** It holds an address of the same EgressIP. */
  | "in use"
  | "full";

export interface NodeJudgement {
  readonly node: string;
  /** The first of all; undefined: it could have it. */
  readonly refusal: Refusal | undefined;
  /** All that hold. The first decides. */
  readonly refusals: readonly Refusal[];
  /** How many addresses it holds, of all EgressIPs. */
  readonly load: number;
}

/** An address that is to be placed. */
interface Question {
  readonly ip: IpAddress;
  /** Some eligible node has it in a secondary network. */
  readonly narrowed: boolean;
  /** Nodes that the EgressIP has already. */
  readonly used: ReadonlySet<string>;
  /** By node, the addresses that count as given up. */
  readonly freed: NestedMap<true>;
}

/** What can be asked of an allocator without changing it. */
export type AllocatorView = Omit<
  Allocator,
  "setNode" | "removeNode" | "allocate" | "hold" | "release" | "releaseAll"
>;

export class Allocator {
  readonly #nodes = new Map<string, NodeRecord>();
  readonly #eligible = new Set<NodeRecord>();
  /** The nodes that have a network, by networkKey and name. */
  readonly #networks = new NestedMap<NodeRecord>();
  /** The prefix lengths that networks have or had. */
  readonly #prefixes = { 4: new Set<number>(), 6: new Set<number>() } as const;
  readonly #holders = new Map<string, Holder>();
  /** The nodes of an EgressIP by address. */
  readonly #byEgressIp = new NestedMap<string>();
  /** The nodes that have an address in host-cidrs, by address and name. */
  readonly #hosts = new NestedMap<true>();
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
    const { name } = state;
    const record = this.#nodes.get(name) ?? { state, allocations: new Set() };
    if (this.#nodes.has(name)) this.#unindex(record);
    record.state = state;
    this.#nodes.set(name, record);
    if (isEligible(state)) this.#eligible.add(record);
    for (const [role, cidr] of networksOf(state)) {
      this.#prefixes[cidr.family].add(cidr.prefix);
      this.#networks.set(networkKey(role, cidr), name, record);
    }
    if (state.hostAddresses === undefined) this.#unreadable.add(name);
    for (const address of state.hostAddresses ?? []) this.#hosts.set(address, name, true);
    return isUsable(state) ? [] : this.#empty(record);
  }

  /** Forgets a node and its allocations; their EgressIPs are returned. */
  removeNode(name: string): string[] {
    const record = this.#nodes.get(name);
    if (!record) return [];
    const egressIps = this.#empty(record);
    this.#unindex(record);
    this.#nodes.delete(name);
    return egressIps;
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
    return [...this.#hosts.of(address).keys()].sort()[0];
  }

  holderOf(address: string): Holder | undefined {
    return this.#holders.get(address);
  }

  /** The addresses of an EgressIP with the nodes that hold them. */
  heldBy(egressIp: string): ReadonlyMap<string, string> {
    return this.#byEgressIp.of(egressIp);
  }

  /** True if the node is known and has a network for the address, whether it can be used or not. */
  hasNetwork(name: string, ip: IpAddress): boolean {
    const state = this.node(name);
    return state?.known === true && hasNetwork(state, ip);
  }

  /** True if the node can be used and has a network for the address. */
  canHost(name: string, ip: IpAddress): boolean {
    const state = this.node(name);
    return state !== undefined && isEligible(state) && hasNetwork(state, ip);
  }

  /** True if the node is known and takes one address more. */
  hasRoom(name: string, ip: IpAddress): boolean {
    const record = this.#nodes.get(name);
    return record !== undefined && hasRoom(record, ip, NONE_FREED);
  }

  /**
   * The node for a new address of an EgressIP: one that holds none of its addresses yet and has room, with the fewest
   * allocations, then the first by name. Where eligible nodes have the address in a secondary network only those come into question.
   * `planned` is what the EgressIP is going to hold; what it holds beside that counts as freed.
   */
  chooseNode(egressIp: string, ip: IpAddress, planned: ReadonlyMap<string, string>): string | undefined {
    const secondary = this.#withNetwork("secondary", ip).filter((record) => isSecondary(record.state, ip));
    const candidates = secondary.length > 0 ? secondary : this.#withNetwork("primary", ip);
    const question = this.#question(egressIp, ip, planned, secondary.length > 0);
    let best: { readonly name: string; readonly load: number } | undefined;
    for (const record of candidates) {
      if (refusalOf(record, question) !== undefined) continue;
      const { name } = record.state;
      const load = loadOf(record, question);
      if (!best || load < best.load || (load === best.load && name < best.name)) best = { name, load };
    }
    return best?.name;
  }

  /** What chooseNode finds of each node, by name: why it cannot have the address, and how many it holds. */
  judge(egressIp: string, ip: IpAddress, planned: ReadonlyMap<string, string>): NodeJudgement[] {
    const records = [...this.#nodes.values()].sort((a, b) => (a.state.name < b.state.name ? -1 : 1));
    const narrowed = records.some((record) => isSecondary(record.state, ip));
    const question = this.#question(egressIp, ip, planned, narrowed);
    return records.map((record) => {
      const refusals = REFUSALS.filter(([, holds]) => holds(record, question)).map(([refusal]) => refusal);
      const { state, allocations } = record;
      return { node: state.name, refusal: refusals[0], refusals, load: allocations.size };
    });
  }

  #question(
    egressIp: string,
    ip: IpAddress,
    planned: ReadonlyMap<string, string>,
    narrowed: boolean,
  ): Question {
    const freed = freedOf(this.heldBy(egressIp), planned);
    return { ip, narrowed, used: new Set(planned.values()), freed };
  }

  /** Notes that the node holds the address for the EgressIP, unless the address is taken or the node unknown. */
  allocate(egressIp: string, address: string, node: string): void {
    const record = this.#nodes.get(node);
    if (!record?.state.known || this.#holders.has(address)) return;
    record.allocations.add(address);
    this.#holders.set(address, { egressIp, node });
    this.#byEgressIp.set(egressIp, address, node);
  }

  /** Frees the address if the EgressIP holds it. */
  release(egressIp: string, address: string): void {
    const holder = this.#holders.get(address);
    if (holder?.egressIp !== egressIp) return;
    this.#nodes.get(holder.node)?.allocations.delete(address);
    this.#holders.delete(address);
    this.#byEgressIp.delete(egressIp, address);
  }

  /** From now on the EgressIP holds these addresses, on these nodes, as far as they are not taken, and no others. */
  hold(egressIp: string, addresses: ReadonlyMap<string, string>): void {
    for (const [address, node] of [...this.heldBy(egressIp)]) {
      if (addresses.get(address) !== node) this.release(egressIp, address);
    }
    for (const [address, node] of addresses) this.allocate(egressIp, address, node);
  }

  releaseAll(egressIp: string): void {
    for (const address of [...this.heldBy(egressIp).keys()]) this.release(egressIp, address);
  }

  /** All that is held. */
  holdings(): Holding[] {
    return [...this.#holders].map(([address, { egressIp, node }]) => ({ egressIp, address, node }));
  }

  describe(): { node: string; eligible: boolean; allocations: Record<string, string> }[] {
    return [...this.#nodes.values()].map(({ state, allocations }) => ({
      node: state.name,
      eligible: isEligible(state),
      allocations: Object.fromEntries([...allocations].map((address) => [address, this.#ownerOf(address)])),
    }));
  }

  /** The nodes that have the address in a network, without asking every node: it is cut to each prefix length there is. */
  #withNetwork(role: Role, ip: IpAddress): NodeRecord[] {
    const { family } = ip;
    return [...this.#prefixes[family]].flatMap((prefix) => {
      const key = networkKey(role, { family, prefix, first: maskIp(ip, prefix) });
      return [...this.#networks.of(key).values()];
    });
  }

  #ownerOf(address: string): string {
    return this.#holders.get(address)?.egressIp ?? "";
  }

  #empty({ allocations }: NodeRecord): string[] {
    const egressIps = new Set<string>();
    for (const address of [...allocations]) {
      const egressIp = this.#ownerOf(address);
      egressIps.add(egressIp);
      this.release(egressIp, address);
    }
    return [...egressIps];
  }

  #unindex(record: NodeRecord): void {
    const { state } = record;
    this.#eligible.delete(record);
    for (const [role, cidr] of networksOf(state)) this.#networks.delete(networkKey(role, cidr), state.name);
    this.#unreadable.delete(state.name);
    for (const address of state.hostAddresses ?? []) this.#hosts.delete(address, state.name);
  }
}

/** In the order in which they are asked. What is not known of a node has no networks to be asked about. */
const REFUSALS: readonly (readonly [Refusal, (record: NodeRecord, question: Question) => boolean])[] = [
  ["left out", ({ state }) => state.leftOut],
  ["not labelled", ({ state }) => !state.leftOut && !state.labelled],
  ["not ready", ({ state }) => !state.leftOut && !state.ready],
  ["not known", ({ state }) => !state.leftOut && !state.known],
  ["not reachable", ({ state }) => !state.leftOut && !state.reachable],
  ["no network", ({ state }, { ip }) => state.known && !hasNetwork(state, ip)],
  ["secondary elsewhere", ({ state }, { ip, narrowed }) => narrowed && inPrimary(state, ip)],
  ["in use", ({ state }, { used }) => used.has(state.name)],
  ["full", (record, { ip, freed }) => !hasRoom(record, ip, freed.of(record.state.name))],
];

const refusalOf = (record: NodeRecord, question: Question): Refusal | undefined =>
  REFUSALS.find(([, holds]) => holds(record, question))?.[0];

const loadOf = ({ state, allocations }: NodeRecord, { freed }: Question): number =>
  allocations.size - freed.of(state.name).size;

/** True if an eligible node has the address in a secondary network alone. */
const isSecondary = (state: NodeState, ip: IpAddress): boolean =>
  isEligible(state) && !inPrimary(state, ip) && hasNetwork(state, ip);

/** The addresses that nodes are not to hold any more, by node. */
function freedOf(held: ReadonlyMap<string, string>, planned: ReadonlyMap<string, string>): NestedMap<true> {
  const freed = new NestedMap<true>();
  for (const [address, node] of held) if (planned.get(address) !== node) freed.set(node, address, true);
  return freed;
}

const NONE_FREED: ReadonlyMap<string, unknown> = new Map();

/** True if one more address stays within the node's limits, when some have been freed. */
function hasRoom(
  { state: { capacity }, allocations }: NodeRecord,
  { family }: IpAddress,
  freed: ReadonlyMap<string, unknown>,
): boolean {
  const limit = family === 4 ? capacity.ipv4 : capacity.ipv6;
  if (limit === undefined && capacity.total === undefined) return true;
  const held = [...allocations].filter((address) => !freed.has(address));
  const ofFamily = held.filter((address) => address.includes(":") === (family === 6));
  return isBelow(held.length, capacity.total) && isBelow(ofFamily.length, limit);
}

const isBelow = (count: number, limit: number | undefined): boolean => limit === undefined || count < limit;

type Role = "primary" | "secondary";

const networksOf = ({ primary, secondary }: NodeState): (readonly [Role, Cidr])[] => [
  ...primary.map((cidr) => ["primary", cidr] as const),
  ...secondary.map((cidr) => ["secondary", cidr] as const),
];

const networkKey = (
  role: Role,
  { family, prefix, first }: Pick<Cidr, "family" | "prefix" | "first">,
): string => `${role} ${family}/${prefix}/${first}`;

const inPrimary = ({ primary }: NodeState, ip: IpAddress): boolean =>
  primary.some((cidr) => cidrContains(cidr, ip));

/** True if the address lies in any network of the node. */
export const hasNetwork = (state: NodeState, ip: IpAddress): boolean =>
  inPrimary(state, ip) || state.secondary.some((cidr) => cidrContains(cidr, ip));
