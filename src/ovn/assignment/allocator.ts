// In-memory allocations of the EgressIP controller: allocated addresses, and eligible nodes. Pure state without API calls.
// An address is allocated to at most one EgressIP on one node. Addresses are canonical texts.

import { type Cidr, cidrContains, type IpAddress, maskIp } from "../../apimachinery/meta/ip.ts";
import { NestedMap } from "../../apimachinery/meta/nested-map.ts";
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

/** Why a node cannot host an address. */
export type Refusal =
  | "left out"
  | "not labelled"
  | "not ready"
  | "not known"
  | "not reachable"
  | "no network"
  /** The node has the address in its primary network, but eligible nodes have it in a secondary one (R87). */
  | "secondary elsewhere"
  /** The node holds an address of the same EgressIP (R86). */
  | "in use"
  | "full";

export interface NodeJudgement {
  readonly node: string;
  /** The first refusal; undefined if the node can host the address. */
  readonly refusal: Refusal | undefined;
  /** All refusals that apply, the decisive one first. */
  readonly refusals: readonly Refusal[];
  /** Number of allocations of all EgressIPs on the node. */
  readonly load: number;
}

/** An address to assign. */
interface Question {
  readonly ip: IpAddress;
  /** An eligible node has the address in a secondary network only. */
  readonly narrowed: boolean;
  /** Nodes with a planned address of the EgressIP. */
  readonly used: ReadonlySet<string>;
  /** By node, the allocations that the plan releases. */
  readonly freed: NestedMap<true>;
}

/** The read-only methods of an Allocator. */
export type AllocatorView = Omit<
  Allocator,
  "setNode" | "removeNode" | "allocate" | "hold" | "release" | "releaseAll"
>;

export class Allocator {
  readonly #nodes = new Map<string, NodeRecord>();
  readonly #eligible = new Set<NodeRecord>();
  /** Nodes by networkKey and name. */
  readonly #networks = new NestedMap<NodeRecord>();
  /** Prefix lengths of all current and former networks. */
  readonly #prefixes = { 4: new Set<number>(), 6: new Set<number>() } as const;
  readonly #holders = new Map<string, Holder>();
  /** By EgressIP and address, the node. */
  readonly #byEgressIp = new NestedMap<string>();
  /** Host addresses of nodes (host-cidrs), by address and node name. */
  readonly #hosts = new NestedMap<true>();
  /** Nodes with absent or invalid host-cidrs. */
  readonly #unreadable = new Set<string>();

  node(name: string): NodeState | undefined {
    return this.#nodes.get(name)?.state;
  }

  nodes(): NodeState[] {
    return [...this.#nodes.values()].map(({ state }) => state);
  }

  /** Stores the state of a node. A node that is not usable loses its allocations; returns the affected EgressIPs. */
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

  /** Removes a node and its allocations; returns the affected EgressIPs. */
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

  /** False while a node has unreadable host-cidrs: any address might belong to it (src/ovn/rules.md R82). */
  get hostAddressesKnown(): boolean {
    return this.#unreadable.size === 0;
  }

  /** The node with this host address, the first by name. */
  hostOf(address: string): string | undefined {
    return [...this.#hosts.of(address).keys()].sort()[0];
  }

  holderOf(address: string): Holder | undefined {
    return this.#holders.get(address);
  }

  /** Allocations of an EgressIP: address → node. */
  heldBy(egressIp: string): ReadonlyMap<string, string> {
    return this.#byEgressIp.of(egressIp);
  }

  /** Reports whether the node is known and has a network for the address; the node need not be eligible. */
  hasNetwork(name: string, ip: IpAddress): boolean {
    const state = this.node(name);
    return state?.known === true && hasNetwork(state, ip);
  }

  /** Reports whether the node is eligible and has a network for the address. */
  canHost(name: string, ip: IpAddress): boolean {
    const state = this.node(name);
    return state !== undefined && isEligible(state) && hasNetwork(state, ip);
  }

  /** Reports whether the node is known and has free capacity. */
  hasRoom(name: string, ip: IpAddress): boolean {
    const record = this.#nodes.get(name);
    return record !== undefined && hasRoom(record, ip, NONE_FREED);
  }

  /**
   * The node for a new address of an EgressIP (src/ovn/rules.md R85 to R87): it holds none of its addresses and has free
   * capacity; the fewest allocations win, then the first name. If eligible nodes have the address in a secondary network,
   * only those are candidates. `planned` are the future allocations; other allocations of the EgressIP count as released.
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

  /** The checks of chooseNode for every node, sorted by name: refusals and number of allocations. */
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

  /** Allocates the address on the node. No-op if the address is allocated or the node unknown. */
  allocate(egressIp: string, address: string, node: string): void {
    const record = this.#nodes.get(node);
    if (!record?.state.known || this.#holders.has(address)) return;
    record.allocations.add(address);
    this.#holders.set(address, { egressIp, node });
    this.#byEgressIp.set(egressIp, address, node);
  }

  /** Releases the address if it is allocated to the EgressIP. */
  release(egressIp: string, address: string): void {
    const holder = this.#holders.get(address);
    if (holder?.egressIp !== egressIp) return;
    this.#nodes.get(holder.node)?.allocations.delete(address);
    this.#holders.delete(address);
    this.#byEgressIp.delete(egressIp, address);
  }

  /** Replaces the allocations of the EgressIP; addresses of other EgressIPs are skipped. */
  hold(egressIp: string, addresses: ReadonlyMap<string, string>): void {
    for (const [address, node] of [...this.heldBy(egressIp)]) {
      if (addresses.get(address) !== node) this.release(egressIp, address);
    }
    for (const [address, node] of addresses) this.allocate(egressIp, address, node);
  }

  releaseAll(egressIp: string): void {
    for (const address of [...this.heldBy(egressIp).keys()]) this.release(egressIp, address);
  }

  /** All allocations. */
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

  /** The nodes with a network that contains the address: one map lookup for each known prefix length. */
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

/** In order of evaluation. A node that is not known has no networks to check. */
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

/** Reports whether the node is eligible and has the address in a secondary network only. */
const isSecondary = (state: NodeState, ip: IpAddress): boolean =>
  isEligible(state) && !inPrimary(state, ip) && hasNetwork(state, ip);

/** Allocations that the plan releases, by node. */
function freedOf(held: ReadonlyMap<string, string>, planned: ReadonlyMap<string, string>): NestedMap<true> {
  const freed = new NestedMap<true>();
  for (const [address, node] of held) if (planned.get(address) !== node) freed.set(node, address, true);
  return freed;
}

const NONE_FREED: ReadonlyMap<string, unknown> = new Map();

/** Reports whether one more address is within the node's capacity after the release of `freed`. */
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

/** Reports whether a network of the node contains the address. */
export const hasNetwork = (state: NodeState, ip: IpAddress): boolean =>
  inPrimary(state, ip) || state.secondary.some((cidr) => cidrContains(cidr, ip));
