// One look at one EgressIP: which items of its status are right, which go, and where the missing addresses go. It
// changes the allocator and answers with what is to be written and said; repeating it changes nothing more.
import { type IpAddress, parseIp } from "../../meta/ip.ts";
import type { Occurrence } from "../runtime/event-correlator.ts";
import type { Allocator } from "./allocator.ts";
import { assignAddresses } from "./assign.ts";
import type { EgressIp, StatusItem } from "./egress-ip.ts";
import { invalidAddress } from "./events.ts";

export type Outcome =
  /** The spec holds text that is no address: nothing of the object is touched. */
  | { readonly type: "invalid"; readonly text: string; readonly said: readonly Occurrence[] }
  /** The status may stay as it is. */
  | { readonly type: "unchanged"; readonly said: readonly Occurrence[] }
  | { readonly type: "write"; readonly items: readonly StatusItem[]; readonly said: readonly Occurrence[] };

export function reconcileEgressIp(allocator: Allocator, egressIp: EgressIp): Outcome {
  const { name } = egressIp;
  const wanted = new Map<string, IpAddress>();
  for (const text of egressIp.requested) {
    const ip = parseIp(text);
    if (!ip) return { type: "invalid", text, said: [invalidAddress(name, text)] };
    wanted.set(ip.text, ip);
  }
  const { kept, removed } = sortItems(allocator, egressIp, wanted);
  for (const { egressIP, node } of removed) {
    if (allocator.heldBy(name).get(egressIP) === node) allocator.release(name, egressIP);
  }
  for (const address of [...allocator.heldBy(name).keys()]) {
    if (!wanted.has(address)) allocator.release(name, address);
  }
  const { placed, said } = assignAddresses(allocator, name, missingAddresses(wanted, kept, removed));
  if (placed.length === 0 && removed.length === 0) return { type: "unchanged", said };
  return { type: "write", items: [...kept, ...placed], said };
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
  allocator: Allocator,
  { name, items }: EgressIp,
  wanted: ReadonlyMap<string, IpAddress>,
): SortedItems {
  const held = allocator.heldBy(name);
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
