// The assignment plan of one EgressIP: which status items stay, which are removed, and the nodes for missing addresses.
// Pure: the caller applies the plan.

import type { IpAddress } from "../../apimachinery/meta/ip.ts";
import type { Occurrence } from "../../apimachinery/meta/occurrence.ts";
import type { Profile } from "../../controller/emulated-release.ts";
import type { AllocatorView, Holder } from "./allocator.ts";
import { type EgressIp, type StatusItem, wantedBy } from "./egress-ip-spec.ts";
import { EGRESS_ASSIGNABLE_LABEL } from "./node-state.ts";

export interface PlanOptions
  extends Pick<ReturnType<typeof rulesOf>, "conflictEndsSearch" | "hostAddressesFall"> {
  /** An address stays on the node that holds it, even if the node takes no new one: a cloud request exists for it. */
  readonly sticky: boolean;
}

/** Differences between profiles (src/ovn/rules.md R131 to R133). */
export function rulesOf(product: Profile) {
  const isNew = product !== "openshift-4.13";
  return {
    /** k8s.ovn.org/host-cidrs is read: it lists secondary networks and all addresses of the host (R82, R83). */
    hostCidrs: isNew,
    /** Label of nodes without OVN networking, which are ignored (src/ovn/rules.md R81). */
    noHostSubnet: isNew ? undefined : (["kubernetes.io/os", "windows"] as const),
    /** The first address that a host or another EgressIP has ends the pass, without summary events (R132). */
    conflictEndsSearch: !isNew,
    /** The mark annotation is written with the first status; without a free mark no status is written (R91, R92). */
    marks: isNew,
    /** An item whose address is now a node's own is invalid (R133). */
    hostAddressesFall: !isNew,
  };
}

export interface Plan {
  /** Valid items, in the order of the status. */
  readonly kept: readonly StatusItem[];
  /** Items that are invalid or not in the spec any more. */
  readonly removed: readonly StatusItem[];
  /** Addresses that were allocated without an item and are not in the spec any more. */
  readonly freed: readonly string[];
  /** New items for addresses without a valid item. */
  readonly placed: readonly StatusItem[];
  readonly said: readonly Occurrence[];
  /** The address that ended the pass (R132), and the addresses after it. */
  readonly ended: { readonly at: string; readonly unreached: readonly string[] } | undefined;
  /** Allocations of the EgressIP after the plan is applied: address → node. */
  readonly held: ReadonlyMap<string, string>;
}

/** Undefined: the spec has an invalid address, and the object stays unchanged (src/ovn/rules.md R88). */
export function planEgressIp(
  allocator: AllocatorView,
  egressIp: EgressIp,
  options: PlanOptions,
): Plan | undefined {
  const { name } = egressIp;
  const wanted = wantedBy(egressIp);
  if (!wanted) return undefined;
  const draft = new Draft(allocator, name, options);
  const { kept, removed } = draft.sort(egressIp.items, wanted);
  for (const { egressIP, node } of removed)
    if (draft.held.get(egressIP) === node) draft.held.delete(egressIP);
  const freed = [...draft.held.keys()].filter((address) => !wanted.has(address));
  for (const address of freed) draft.held.delete(address);
  // While items are removed, only removed addresses that the spec still lists are assigned. So a move is one status change,
  // and a replacement two (src/ovn/rules.md R90).
  const there = new Set(kept.map(({ egressIP }) => egressIP));
  const going = new Set(removed.map(({ egressIP }) => egressIP));
  const missing = [...wanted.values()].filter(
    ({ text }) => !there.has(text) && (removed.length === 0 || going.has(text)),
  );
  const placed = draft.placeAll(missing);
  const { said, ended, held } = draft;
  return { kept, removed, freed, placed, said, ended, held };
}

/**
 * The planned allocations of one EgressIP. Reads see the plan as applied; the allocator changes only when the caller
 * applies it.
 */
class Draft {
  /** Planned allocations: address → node. */
  readonly held: Map<string, string>;
  readonly said: Occurrence[] = [];
  ended: Plan["ended"];
  readonly #allocator: AllocatorView;
  readonly #name: string;
  readonly #options: PlanOptions;

  constructor(allocator: AllocatorView, name: string, options: PlanOptions) {
    this.#allocator = allocator;
    this.#name = name;
    this.#options = options;
    this.held = new Map(allocator.heldBy(name));
  }

  /** Splits items into valid and removed ones (src/ovn/rules.md R89, R133). Duplicates of a valid item are dropped. */
  sort(items: readonly StatusItem[], wanted: ReadonlyMap<string, IpAddress>): Pick<Plan, "kept" | "removed"> {
    const perNode = new Map<string, number>();
    for (const node of this.held.values()) perNode.set(node, (perNode.get(node) ?? 0) + 1);
    const kept: StatusItem[] = [];
    const removed: StatusItem[] = [];
    for (const item of items) {
      const { egressIP, node } = item;
      const ip = wanted.get(egressIP);
      const isRight =
        this.held.get(egressIP) === node &&
        perNode.get(node) === 1 &&
        !(this.#options.hostAddressesFall && this.#allocator.hostOf(egressIP) !== undefined);
      if (!ip || !isRight || !this.#allocator.canHost(node, ip)) removed.push(item);
      else if (!kept.some((other) => other.egressIP === egressIP)) kept.push(item);
    }
    return { kept, removed };
  }

  /** Assigns nodes in the given order; an address without a node is skipped with an event. */
  placeAll(addresses: readonly IpAddress[]): StatusItem[] {
    const { hasEligibleNode, hostAddressesKnown } = this.#allocator;
    if (addresses.length === 0) return [];
    const name = this.#name;
    if (!hasEligibleNode) {
      const label = `please tag at least one node with label: ${EGRESS_ASSIGNABLE_LABEL}`;
      this.#warn("NoMatchingNodeFound", `no assignable nodes for EgressIP: ${name}, ${label}`);
    }
    // One node with unreadable host-cidrs blocks every assignment, without an event (src/ovn/rules.md R82).
    if (!hasEligibleNode || !hostAddressesKnown) return [];
    const placed: StatusItem[] = [];
    for (const [index, ip] of addresses.entries()) {
      if (this.#options.conflictEndsSearch && this.#isTaken(ip)) {
        this.ended = { at: ip.text, unreached: addresses.slice(index + 1).map(({ text }) => text) };
        return placed;
      }
      const node = this.#placeOf(ip);
      if (node !== undefined) placed.push({ egressIP: ip.text, node });
    }
    if (placed.length === 0) {
      const texts = `[${addresses.map(({ text }) => text).join(" ")}]`;
      const message = `No matching nodes found, which can host any of the egress IPs: ${texts} for object EgressIP: ${name}`;
      this.#warn("NoMatchingNodeFound", message);
    } else if (placed.length < addresses.length) {
      const message = `Not all egress IPs for EgressIP: ${name} could be assigned, please tag more nodes`;
      this.#warn("UnassignedRequest", message);
    }
    return placed;
  }

  #warn(reason: string, message: string): void {
    this.said.push(warning(this.#name, reason, message));
  }

  #holderOf(address: string): Holder | undefined {
    const node = this.held.get(address);
    if (node !== undefined) return { egressIp: this.#name, node };
    const holder = this.#allocator.holderOf(address);
    return holder?.egressIp === this.#name ? undefined : holder;
  }

  /** Checks of OpenShift 4.13, which emits no event if another EgressIP holds the address (R132). */
  #isTaken({ text }: IpAddress): boolean {
    const holder = this.#holderOf(text);
    if (holder && holder.egressIp !== this.#name) return true;
    const host = this.#allocator.hostOf(text);
    if (host === undefined) return false;
    this.#forget(text);
    const message = `Egress IP: ${text} for object EgressIP: ${this.#name} is the IP address of node: ${host}, this is unsupported`;
    this.#warn("UnsupportedRequest", message);
    return true;
  }

  /** Drops an allocation whose status item is gone, because the address is now a host's own. */
  #forget(address: string): void {
    if (!this.#options.sticky) this.held.delete(address);
  }

  #placeOf(ip: IpAddress): string | undefined {
    const { text } = ip;
    const { sticky } = this.#options;
    const host = this.#allocator.hostOf(text);
    if (host !== undefined) {
      this.#forget(text);
      const why = `conflicting with a host (${host}) IP address and will not be assigned`;
      this.#warn("EgressIPConflict", `Egress IP ${this.#name} with IP ${text} is ${why}`);
      return undefined;
    }
    const holder = this.#holderOf(text);
    if (holder && holder.egressIp !== this.#name) {
      const where = `is already allocated for EgressIP: ${holder.egressIp} on ${holder.node}`;
      this.#warn("UnsupportedRequest", `IP: "${text}" for EgressIP: ${this.#name} ${where}`);
      return undefined;
    }
    if (holder && sticky) return this.#allocator.hasNetwork(holder.node, ip) ? holder.node : undefined;
    if (holder && this.#allocator.canHost(holder.node, ip)) return holder.node;
    this.held.delete(text);
    const node = this.#allocator.chooseNode(this.#name, ip, this.held);
    if (node !== undefined) this.held.set(text, node);
    return node;
  }
}

/** A Warning event about an EgressIP. Success emits no event (src/ovn/rules.md R94). */
export const warning = (name: string, reason: string, message: string): Occurrence => ({
  subject: { kind: "EgressIP", name },
  type: "Warning",
  reason,
  message,
});
