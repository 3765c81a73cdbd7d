// One look at one EgressIP: which items of its status are right, which go, and where the missing addresses go. It
// decides and changes nothing: whoever asked carries out what it answers.

import type { IpAddress } from "../../meta/ip.ts";
import type { Occurrence } from "../../meta/occurrence.ts";
import type { Profile } from "../snapshot.ts";
import type { AllocatorView, Holder } from "./allocator.ts";
import { type EgressIp, type StatusItem, wantedBy } from "./egress-ip.ts";
import { EGRESS_ASSIGNABLE_LABEL } from "./node-state.ts";

export interface PlanOptions
  extends Pick<ReturnType<typeof rulesOf>, "conflictEndsSearch" | "hostAddressesFall"> {
  /** An address stays on the node that holds it, even if the node can take no new one: it is asked for there. */
  readonly sticky: boolean;
}

/** In what an older product decides otherwise (behaviour.md, section i and the rules marked 413). */
export function rulesOf(product: Profile) {
  const isNew = product !== "openshift-4.13";
  return {
    /** k8s.ovn.org/host-cidrs is read: it names secondary networks and all of a host's own addresses. */
    hostCidrs: isNew,
    /** OpenShift leaves nodes alone on which ovn-kubernetes does not run (behaviour.md 7). */
    noHostSubnet: isNew ? undefined : (["kubernetes.io/os", "windows"] as const),
    /** The first address that is somebody else's ends the search, and nothing is said in sum. */
    conflictEndsSearch: !isNew,
    /** An EgressIP gets a mark before its status says a node; without one it says none (behaviour.md 31, 46). */
    marks: isNew,
    /** An item is wrong whose address has become a node's own. */
    hostAddressesFall: !isNew,
  };
}

export interface Plan {
  /** Items that are right, in their order. */
  readonly kept: readonly StatusItem[];
  /** Items that are wrong or not wanted any more. */
  readonly removed: readonly StatusItem[];
  /** Addresses that were held without an item and are not wanted any more. */
  readonly freed: readonly string[];
  /** Addresses without an item and their nodes. */
  readonly placed: readonly StatusItem[];
  readonly said: readonly Occurrence[];
  /** The address at which the search ended, and those behind it that it did not come to. */
  readonly ended: { readonly at: string; readonly unreached: readonly string[] } | undefined;
  /** What the EgressIP holds when this is carried out: address → node. */
  readonly held: ReadonlyMap<string, string>;
}

/** Undefined: the spec holds text that is no address, and nothing of the object is touched. */
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
  // While items have to go only addresses that go with them and are still wanted are placed, so that a move is one change
  // of the status and a replacement two.
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
 * What one EgressIP is going to hold, while it is decided: it reads as if all that were done already, and the allocator
 * stays as it is until the changes are carried out.
 */
class Draft {
  /** Address → node. */
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

  /** An item is right if it is wanted and the allocator knows it too: this address, for this EgressIP, alone on the node. */
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

  /** Finds nodes for addresses in the order given; what cannot be placed is left out, and said. */
  placeAll(addresses: readonly IpAddress[]): StatusItem[] {
    const { hasEligibleNode, hostAddressesKnown } = this.#allocator;
    if (addresses.length === 0) return [];
    const name = this.#name;
    if (!hasEligibleNode) {
      const label = `please tag at least one node with label: ${EGRESS_ASSIGNABLE_LABEL}`;
      this.#warn("NoMatchingNodeFound", `no assignable nodes for EgressIP: ${name}, ${label}`);
    }
    // One node whose own addresses cannot be read stops everything, without a word.
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

  /** For an older product, which says nothing where another EgressIP has the address. */
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

  /** A host's own address is not held any more, if it was remembered although the status had lost it. */
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

/** What the controller says about an EgressIP. Success is silent. */
export const warning = (name: string, reason: string, message: string): Occurrence => ({
  subject: { kind: "EgressIP", name },
  type: "Warning",
  reason,
  message,
});
