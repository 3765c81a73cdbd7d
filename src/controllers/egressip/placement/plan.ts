// One look at one EgressIP: which items of its status are right, which go, and where the missing addresses go. It
// decides and changes nothing: whoever asked carries out what it answers.
import type { IpAddress } from "../../../meta/ip.ts";
import type { Occurrence } from "../../kit/event-correlator.ts";
import { type EgressIp, readRequested, type StatusItem } from "../egress-ip.ts";
import { invalidAddress } from "../events.ts";
import type { Allocator } from "./allocator.ts";
import { type AssignOptions, assignAddresses } from "./assign.ts";
import { type Allocations, Draft } from "./draft.ts";

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
  /** What changes in the allocator. */
  readonly allocations: Allocations;
}

/** The spec holds text that is no address: nothing of the object is touched. */
export interface Refusal {
  readonly invalid: string;
  readonly said: readonly Occurrence[];
}

export function planEgressIp(
  allocator: Allocator,
  egressIp: EgressIp,
  options: AssignOptions,
): Plan | Refusal {
  const { name } = egressIp;
  const wanted = readRequested(egressIp);
  if ("invalid" in wanted) return { invalid: wanted.invalid, said: [invalidAddress(name, wanted.invalid)] };
  const draft = new Draft(allocator, name);
  const { kept, removed } = sortItems(draft, egressIp, wanted);
  for (const { egressIP, node } of removed) {
    if (draft.held.get(egressIP) === node) draft.release(egressIP);
  }
  const freed = [...draft.held.keys()].filter((address) => !wanted.has(address));
  for (const address of freed) draft.release(address);
  const missing = missingAddresses(wanted, kept, removed);
  const assignment = assignAddresses(draft, name, missing, options);
  return { kept, removed, freed, ...assignment, allocations: draft.changes() };
}

/**
 * The addresses to place now. While items have to go only addresses that go with them and are still wanted count, so
 * that a move is one change of the status and a replacement two.
 */
function missingAddresses(
  wanted: ReadonlyMap<string, IpAddress>,
  kept: readonly StatusItem[],
  removed: readonly StatusItem[],
): IpAddress[] {
  const there = new Set(kept.map(({ egressIP }) => egressIP));
  const going = new Set(removed.map(({ egressIP }) => egressIP));
  return [...wanted.values()].filter(
    ({ text }) => !there.has(text) && (removed.length === 0 || going.has(text)),
  );
}

interface SortedItems {
  readonly kept: readonly StatusItem[];
  readonly removed: readonly StatusItem[];
}

/** An item is right if it is wanted and the allocator knows it too: this address, for this EgressIP, alone on the node. */
function sortItems(
  { held, allocator }: Draft,
  { items }: EgressIp,
  wanted: ReadonlyMap<string, IpAddress>,
): SortedItems {
  const perNode = new Map<string, number>();
  for (const node of held.values()) perNode.set(node, (perNode.get(node) ?? 0) + 1);
  const kept: StatusItem[] = [];
  const removed: StatusItem[] = [];
  for (const item of items) {
    const { egressIP, node } = item;
    const ip = wanted.get(egressIP);
    const right = held.get(egressIP) === node && perNode.get(node) === 1;
    if (!ip || !right || !allocator.canHost(node, ip)) removed.push(item);
    else if (!kept.some((other) => other.egressIP === egressIP)) kept.push(item);
  }
  return { kept, removed };
}
