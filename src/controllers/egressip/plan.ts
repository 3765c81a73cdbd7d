// One look at one EgressIP: which items of its status are right, which go, and where the missing addresses go. It
// decides and changes nothing: whoever asked carries out what it answers.
import type { IpAddress } from "../../meta/ip.ts";
import type { Occurrence } from "../kit/event-correlator.ts";
import type { AllocatorView, Holder } from "./allocator.ts";
import { type EgressIp, type StatusItem, wantedBy } from "./egress-ip.ts";
import { EGRESS_ASSIGNABLE_LABEL } from "./node-state.ts";

export interface PlanOptions {
  /** An address stays on the node that holds it, even if the node can take no new one: it is asked for there. */
  readonly sticky: boolean;
  /** The first address that is somebody else's ends the search, and nothing is said in sum. */
  readonly conflictEndsSearch: boolean;
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
  return { kept, removed, freed, placed, said: draft.said, held: draft.held };
}

/**
 * What one EgressIP is going to hold, while it is decided: it reads as if all that were done already, and the allocator
 * stays as it is until the changes are carried out.
 */
class Draft {
  /** Address → node. */
  readonly held: Map<string, string>;
  readonly said: Occurrence[] = [];
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
      const isRight = this.held.get(egressIP) === node && perNode.get(node) === 1;
      if (!ip || !isRight || !this.#allocator.canHost(node, ip)) removed.push(item);
      else if (!kept.some((other) => other.egressIP === egressIP)) kept.push(item);
    }
    return { kept, removed };
  }

  /** Finds nodes for addresses in the order given; what cannot be placed is left out, and said. */
  placeAll(addresses: readonly IpAddress[]): StatusItem[] {
    const { hasEligibleNode, hostAddressesKnown } = this.#allocator;
    if (addresses.length === 0) return [];
    if (!hasEligibleNode) this.said.push(noAssignableNodes(this.#name));
    // One node whose own addresses cannot be read stops everything, without a word.
    if (!hasEligibleNode || !hostAddressesKnown) return [];
    const placed: StatusItem[] = [];
    for (const ip of addresses) {
      if (this.#options.conflictEndsSearch && this.#isTaken(ip)) return placed;
      const node = this.#placeOf(ip);
      if (node !== undefined) placed.push({ egressIP: ip.text, node });
    }
    const texts = addresses.map(({ text }) => text);
    if (placed.length === 0) this.said.push(noMatchingNodes(this.#name, texts));
    else if (placed.length < addresses.length) this.said.push(notAllAssigned(this.#name));
    return placed;
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
    if (host !== undefined) this.said.push(isNodeAddress(this.#name, { address: text, node: host }));
    return host !== undefined;
  }

  #placeOf(ip: IpAddress): string | undefined {
    const { text } = ip;
    const { sticky } = this.#options;
    const host = this.#allocator.hostOf(text);
    if (host !== undefined) {
      if (!sticky) this.held.delete(text); // if it was remembered although the status had lost it
      this.said.push(hostConflict(this.#name, { address: text, node: host }));
      return undefined;
    }
    const holder = this.#holderOf(text);
    if (holder && holder.egressIp !== this.#name) {
      this.said.push(alreadyAllocated(this.#name, { address: text, ...holder }));
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

// What the EgressIP controller says about an EgressIP. Success is silent.

interface OnNode {
  readonly address: string;
  readonly node: string;
}

/** An event whose message is made of the EgressIP's name and what else there is to say. */
const warning =
  <About = void>(reason: string, messageOf: (name: string, about: About) => string) =>
  (name: string, about: About): Occurrence => ({
    subject: { kind: "EgressIP", name },
    type: "Warning",
    reason,
    message: messageOf(name, about),
  });

export const noAssignableNodes = warning(
  "NoMatchingNodeFound",
  (name) =>
    `no assignable nodes for EgressIP: ${name}, please tag at least one node with label: ${EGRESS_ASSIGNABLE_LABEL}`,
);

export const noMatchingNodes = warning(
  "NoMatchingNodeFound",
  (name, addresses: readonly string[]) =>
    `No matching nodes found, which can host any of the egress IPs: [${addresses.join(" ")}] for object EgressIP: ${name}`,
);

export const notAllAssigned = warning(
  "UnassignedRequest",
  (name) => `Not all egress IPs for EgressIP: ${name} could be assigned, please tag more nodes`,
);

export const hostConflict = warning(
  "EgressIPConflict",
  (name, { address, node }: OnNode) =>
    `Egress IP ${name} with IP ${address} is conflicting with a host (${node}) IP address and will not be assigned`,
);

/** As older products say it. */
export const isNodeAddress = warning(
  "UnsupportedRequest",
  (name, { address, node }: OnNode) =>
    `Egress IP: ${address} for object EgressIP: ${name} is the IP address of node: ${node}, this is unsupported`,
);

export const alreadyAllocated = warning(
  "UnsupportedRequest",
  (name, { address, egressIp, node }: OnNode & { readonly egressIp: string }) =>
    `IP: "${address}" for EgressIP: ${name} is already allocated for EgressIP: ${egressIp} on ${node}`,
);

export const invalidAddress = warning(
  "InvalidEgressIP",
  (name, text: string) => `egress IP: ${text} for object EgressIP: ${name} is not a valid IP address`,
);

const cloudFailed = (reason: string, verb: string) =>
  warning(
    reason,
    (name, { address, error }: { readonly address: string; readonly error: string }) =>
      `egress IP: ${address} for object EgressIP: ${name} could not be ${verb}, err: ${error}`,
  );

/** When a request to the API fails. */
export const cloudFailures = {
  add: cloudFailed("CloudAssignmentFailed", "created"),
  update: cloudFailed("CloudUpdateFailed", "updated"),
  deletion: cloudFailed("CloudDeletionFailed", "deleted"),
} as const;

/** Of a request that the cloud refused for a node that is gone by now. */
export const cloudAssignmentRetry = warning(
  "CloudAssignmentRetry",
  (_name, { address, node, reason }: OnNode & { readonly reason: string }) =>
    `egress IP: ${address} previously failed on deleted node ${node} (reason: ${reason}), will retry assignment`,
);
