// EgressIPs: what their controller reads of them, which of them an event about a node concerns, and how their status is
// written.

import type { Client } from "../../client/client.ts";
import { parseIp } from "../../meta/ip.ts";
import { equalJson } from "../../meta/json.ts";
import { NestedMap } from "../../meta/nested-map.ts";
import { type Allocator, hasNetwork } from "../../verdict/assignment/allocator.ts";
import { type EgressIp, MARK_ANNOTATION, type StatusItem } from "../../verdict/assignment/egress-ip.ts";
import { isUsable, type NodeState } from "../../verdict/assignment/node-state.ts";
import { ignoring, ovn } from "../kit/api.ts";

export const EGRESS_IPS = ovn("egressips");
/** Those that are known, without asking each of them what an event about a node means to it. */
export class EgressIpIndex {
  readonly #known = new Map<string, EgressIp>();
  readonly #incomplete = new Set<string>();
  /** By node and name. */
  readonly #onNode = new NestedMap<EgressIp>();

  set(egressIp: EgressIp): void {
    const { name, requested, items } = egressIp;
    this.delete(name);
    this.#known.set(name, egressIp);
    if (requested.length !== items.length) this.#incomplete.add(name);
    for (const { node } of items) this.#onNode.set(node, name, egressIp);
  }

  delete(name: string): void {
    for (const { node } of this.#known.get(name)?.items ?? []) this.#onNode.delete(node, name);
    this.#known.delete(name);
    this.#incomplete.delete(name);
  }

  get(name: string): EgressIp | undefined {
    return this.#known.get(name);
  }

  /** All of them, by name. */
  all(): EgressIp[] {
    return [...this.#known.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  /** Those that have not as many items as addresses; an address listed twice counts twice. */
  incomplete(): Iterable<string> {
    return this.#incomplete;
  }

  /** Those with an item on the node. */
  onNode(node: string): EgressIp[] {
    return [...this.#onNode.of(node).values()];
  }
}

/**
 * Writes status.items, and with it a mark where the object has none: one JSON patch of the main resource, since the status
 * of an EgressIP is no subresource. Nothing is written that the object says already, nor when it is gone by now or another
 * has its name.
 */
export async function writeStatus(
  client: Client,
  { name, uid, items: before, hasStatus }: EgressIp,
  { items, mark }: { readonly items: readonly StatusItem[]; readonly mark: string | undefined },
): Promise<void> {
  if (hasStatus && mark === undefined && equalJson(before, items)) return;
  // As upstream does it, the map is replaced as a whole: other annotations are lost with the first mark.
  const annotations = { op: "add", path: "/metadata/annotations", value: { [MARK_ANNOTATION]: mark } };
  const body = [
    { op: "test", path: "/metadata/uid", value: uid },
    ...(mark === undefined ? [] : [annotations]),
    { op: "replace", path: "/status", value: { items } },
  ];
  await ignoring([404], client.patch(EGRESS_IPS, { namespace: "", name }, { type: "json", body }));
}

// Which EgressIPs have to be looked at again when a node changes, and just as much which have not: an address never
// moves for balance, and a network or an address that was freed wakes nobody by itself. And which nodes are held to be
// reachable: they are asked on a change for which they are looked at anew, and every five seconds.

/** Takes in a node that is new or changed; answers with the EgressIPs to look at. */
export function takeNode(
  allocator: Allocator,
  index: EgressIpIndex,
  before: NodeState | undefined,
  given: NodeState,
): string[] {
  const isAnew = isLookedAtAnew(before, given);
  // A known and usable node that answers is reachable then; any other stays what it is held to be.
  const found = isAnew && given.answers && given.known && isUsable(given);
  const state = found ? { ...given, reachable: true } : given;
  const affected = allocator.setNode(state);
  if (!isUsable(state)) {
    // Only a node that could be used until now leaves anything behind.
    return sorted([affected, before && isUsable(before) ? namesOf(index.onNode(state.name)) : []]);
  }
  const hostCidrsChanged = before !== undefined && before.hostCidrsText !== state.hostCidrsText;
  return sorted([
    affected,
    state.reachable && isAnew ? index.incomplete() : [],
    hostCidrsChanged ? namesOf(withLostNetwork(index, state)) : [],
  ]);
}

/** Asks the nodes whether they answer; answers with the EgressIPs to look at. */
export function checkReachability(allocator: Allocator, index: EgressIpIndex): string[] {
  const affected = allocator
    .nodes()
    .filter(isMisjudged)
    .map((state) => {
      allocator.setNode({ ...state, reachable: state.answers });
      return state.answers ? [...index.incomplete()] : namesOf(index.onNode(state.name));
    });
  return sorted(affected);
}

/** Forgets a node; answers with the EgressIPs to look at. */
export const dropNode = (allocator: Allocator, index: EgressIpIndex, name: string): string[] =>
  sorted([allocator.removeNode(name), namesOf(index.onNode(name))]);

/** A node of which the next check will find that it is not what it is held to be. Others are not asked. */
export const isMisjudged = (state: NodeState): boolean =>
  isUsable(state) && state.known && state.reachable !== state.answers;

/** True for a change after which a node is looked at as if it had just come. */
const isLookedAtAnew = (before: NodeState | undefined, state: NodeState): boolean =>
  !before ||
  before.labelled !== state.labelled ||
  before.ready !== state.ready ||
  (state.known && !before.known) ||
  before.hostCidrsText !== state.hostCidrsText ||
  before.cloudConfigText !== state.cloudConfigText;

/** EgressIPs with an item on the node for which none of its networks is left. */
const withLostNetwork = (index: EgressIpIndex, state: NodeState): EgressIp[] =>
  index.onNode(state.name).filter(({ items }) =>
    items.some(({ egressIP, node }) => {
      const ip = node === state.name ? parseIp(egressIP) : undefined;
      return ip !== undefined && !hasNetwork(state, ip);
    }),
  );

const namesOf = (egressIps: readonly EgressIp[]): string[] => egressIps.map(({ name }) => name);

const sorted = (names: readonly Iterable<string>[]): string[] =>
  [...new Set(names.flatMap((some) => [...some]))].sort();
