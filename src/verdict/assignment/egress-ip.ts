// EgressIPs as assignment reads them, and what they hold before anything is decided.
import { type IpAddress, parseIp } from "../../meta/ip.ts";
import { type JsonObject, objectAt, objectsAt, textAt, textsAt } from "../../meta/json.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import { oncePer } from "../../meta/once-per.ts";
import { atOnce, type Steps } from "../../meta/steps.ts";
import type { Allocator } from "./allocator.ts";
import type { CloudPrivateIpConfig } from "./cloud-request.ts";

export const MARK_ANNOTATION = "k8s.ovn.org/egressip-mark";
/** Packet marks: each EgressIP with a node has one of its own (behaviour.md 46). */
export const MARKS = { first: 50_000, last: 54_999 } as const;

/** The mark that a text names; undefined when it is none of these. */
export function markIn(text: string | undefined): number | undefined {
  const mark = /^\d+$/.test(text ?? "") ? Number(text) : Number.NaN;
  return mark >= MARKS.first && mark <= MARKS.last ? mark : undefined;
}

/** One entry of status.items. */
export interface StatusItem {
  readonly egressIP: string;
  readonly node: string;
}

/** An address that an EgressIP wants, or has wanted. */
export interface RequestedAddress {
  readonly egressIp: string;
  /** Canonical. */
  readonly address: string;
}

export type EgressIp = Readonly<ReturnType<typeof readEgressIp>>;

export function readEgressIp(object: KubeObject) {
  const { name = "", uid = "", annotations } = object.metadata;
  const status = objectAt(object, "status");
  return {
    name,
    uid,
    /** As written. */
    requested: textsAt(objectAt(object, "spec"), "egressIPs"),
    items: objectsAt(status, "items").map(readItem) as readonly StatusItem[],
    hasStatus: status !== undefined,
    /** Whatever it says; undefined when the key is absent. */
    mark: annotations?.[MARK_ANNOTATION],
  };
}

const readItem = (item: JsonObject): StatusItem => ({
  egressIP: textAt(item, "egressIP"),
  node: textAt(item, "node"),
});

/** The first text of the spec that is no address; "" when there is none. */
export const invalidIn = ({ requested }: EgressIp): string => requested.find((text) => !parseIp(text)) ?? "";

/** The addresses asked for, by canonical text; undefined while there is a text that is none. */
export const wantedBy = oncePer(({ requested }: EgressIp): ReadonlyMap<string, IpAddress> | undefined => {
  const wanted = new Map<string, IpAddress>();
  for (const text of requested) {
    const ip = parseIp(text);
    if (!ip) return undefined;
    wanted.set(ip.text, ip);
  }
  return wanted;
});

/**
 * What was allocated before the controller started: the statuses say it. They are taken in before anything is reconciled, so
 * that an EgressIP that holds an address keeps it against others that want it. Of two statuses that claim one address the
 * one that is right wins, then the first in the order given.
 */
export const preloadItems = (allocator: Allocator, egressIps: readonly EgressIp[]): void =>
  atOnce(preloadItemsSteps(allocator, egressIps));

/** There may be thousands. */
export function* preloadItemsSteps(allocator: Allocator, egressIps: readonly EgressIp[]): Steps<void> {
  const doubtful: { name: string; item: StatusItem }[] = [];
  for (const egressIp of egressIps) {
    const { name, items } = egressIp;
    const wanted = wantedBy(egressIp);
    for (const item of items) {
      const ip = wanted?.get(item.egressIP) ?? parseIp(item.egressIP);
      if (ip?.text !== item.egressIP) continue;
      const isRight = wanted?.has(ip.text) && allocator.canHost(item.node, ip);
      if (isRight) allocator.allocate(name, item.egressIP, item.node);
      else doubtful.push({ name, item });
    }
    yield;
  }
  for (const { name, item } of doubtful) allocator.allocate(name, item.egressIP, item.node);
}

/** The same on a cloud, with what was asked of it; answers with the requests that no EgressIP makes any more. */
export const preloadRequests = (
  allocator: Allocator,
  egressIps: readonly EgressIp[],
  configs: readonly CloudPrivateIpConfig[],
): RequestedAddress[] => atOnce(preloadRequestsSteps(allocator, egressIps, configs));

export function* preloadRequestsSteps(
  allocator: Allocator,
  egressIps: readonly EgressIp[],
  configs: readonly CloudPrivateIpConfig[],
): Steps<RequestedAddress[]> {
  yield* preloadItemsSteps(allocator, egressIps);
  const byName = new Map(egressIps.map((egressIp) => [egressIp.name, egressIp]));
  const orphans: RequestedAddress[] = [];
  for (const { owner: egressIp, address, node, deleting } of configs) {
    if (egressIp === undefined || address === undefined || deleting) continue;
    const asking = byName.get(egressIp);
    const wanted = asking && wantedBy(asking);
    if (asking && !wanted) continue; // what it wants cannot be told
    if (wanted?.has(address)) keepRequest(allocator, { egressIp, address }, node);
    else orphans.push({ egressIp, address });
    yield;
  }
  return orphans;
}

/** What was asked for already is held on the node it was asked for, as far as that is a node to ask for. */
export function keepRequest(
  allocator: Allocator,
  { egressIp, address }: RequestedAddress,
  node: string,
): void {
  const ip = parseIp(address);
  const nodes = [...allocator.heldBy(egressIp).values()];
  if (ip && allocator.canHost(node, ip) && !nodes.includes(node)) allocator.allocate(egressIp, address, node);
}
