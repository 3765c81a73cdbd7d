// EgressIPs in the controller: an index by node, the EgressIPs affected by node events, and the status patch.

import { equalJson } from "../../../apimachinery/json/json.ts";
import { parseIp } from "../../../apimachinery/meta/ip.ts";
import { NestedMap } from "../../../apimachinery/meta/nested-map.ts";
import { ignoring, ovn } from "../../../controller/api.ts";
import type { Client } from "../../../controller/client.ts";
import { type Allocator, hasNetwork } from "../../assignment/allocator.ts";
import { type EgressIp, MARK_ANNOTATION, type StatusItem } from "../../assignment/egress-ip-spec.ts";
import { isUsable, type NodeState } from "../../assignment/node-state.ts";

export const EGRESS_IPS = ovn("egressips");
/** Known EgressIPs, indexed by node and completeness, so that a node event needs no scan. */
export class EgressIpIndex {
  readonly #known = new Map<string, EgressIp>();
  readonly #incomplete = new Set<string>();
  /** By node and EgressIP name. */
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

  /** All EgressIPs, sorted by name. */
  all(): EgressIp[] {
    return [...this.#known.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  /** EgressIPs whose number of items differs from that of addresses; a duplicate address counts twice. */
  incomplete(): Iterable<string> {
    return this.#incomplete;
  }

  /** EgressIPs with an item on the node. */
  onNode(node: string): EgressIp[] {
    return [...this.#onNode.of(node).values()];
  }
}

/**
 * Writes status.items and a missing mark with one JSON patch of the main resource, since EgressIP has no status subresource
 * (src/ovn/rules.md R91). No-op if the status is unchanged or the object is deleted. The patch tests the uid, so it
 * never changes a new object of the same name.
 */
export async function writeStatus(
  client: Client,
  { name, uid, items: before, hasStatus }: EgressIp,
  { items, mark }: { readonly items: readonly StatusItem[]; readonly mark: string | undefined },
): Promise<void> {
  if (hasStatus && mark === undefined && equalJson(before, items)) return;
  // As in upstream, "add" replaces the whole map: other annotations are lost with the first mark.
  const annotations = { op: "add", path: "/metadata/annotations", value: { [MARK_ANNOTATION]: mark } };
  const body = [
    { op: "test", path: "/metadata/uid", value: uid },
    ...(mark === undefined ? [] : [annotations]),
    { op: "replace", path: "/status", value: { items } },
  ];
  await ignoring([404], client.patch(EGRESS_IPS, { namespace: "", name }, { type: "json", body }));
}

// EgressIPs to enqueue for a node change (src/ovn/rules.md R93). Addresses never move for balance, and a released
// address enqueues nothing. Reachability is probed on relevant node changes and every five seconds.

/** Stores a new or changed node; returns the EgressIPs to enqueue. */
export function takeNode(
  allocator: Allocator,
  index: EgressIpIndex,
  before: NodeState | undefined,
  given: NodeState,
): string[] {
  const isAnew = isLookedAtAnew(before, given);
  // A relevant change probes a known and usable node; otherwise the last probe result stays.
  const found = isAnew && given.answers && given.known && isUsable(given);
  const state = found ? { ...given, reachable: true } : given;
  const affected = allocator.setNode(state);
  if (!isUsable(state)) {
    // Only a node that was usable before can have items to move.
    return sorted([affected, before && isUsable(before) ? namesOf(index.onNode(state.name)) : []]);
  }
  const hostCidrsChanged = before !== undefined && before.hostCidrsText !== state.hostCidrsText;
  return sorted([
    affected,
    state.reachable && isAnew ? index.incomplete() : [],
    hostCidrsChanged ? namesOf(withLostNetwork(index, state)) : [],
  ]);
}

/** Probes the nodes; returns the EgressIPs to enqueue. */
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

/** Removes a node; returns the EgressIPs to enqueue. */
export const dropNode = (allocator: Allocator, index: EgressIpIndex, name: string): string[] =>
  sorted([allocator.removeNode(name), namesOf(index.onNode(name))]);

/** Reports whether the next probe changes the node's reachability. Other nodes are not probed. */
export const isMisjudged = (state: NodeState): boolean =>
  isUsable(state) && state.known && state.reachable !== state.answers;

/** Reports whether a change is handled as the addition of the node. */
const isLookedAtAnew = (before: NodeState | undefined, state: NodeState): boolean =>
  !before ||
  before.labelled !== state.labelled ||
  before.ready !== state.ready ||
  (state.known && !before.known) ||
  before.hostCidrsText !== state.hostCidrsText ||
  before.cloudConfigText !== state.cloudConfigText;

/** EgressIPs with an item on the node that no network of the node contains. */
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
