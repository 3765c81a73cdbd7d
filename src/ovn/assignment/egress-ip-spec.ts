// EgressIPs as assignment reads them, and their allocations when the controller starts.

import { type JsonObject, objectAt, objectsAt, textAt, textsAt } from "../../apimachinery/json/json.ts";
import { type IpAddress, parseIp } from "../../apimachinery/meta/ip.ts";
import { memoize } from "../../apimachinery/meta/memoize.ts";
import type { KubeObject } from "../../apimachinery/meta/object-meta.ts";
import { type Coroutine, runSync } from "../../apimachinery/scheduling/coroutine.ts";
import type { Allocator } from "./allocator.ts";
import type { CloudPrivateIpConfig } from "./cloud-request.ts";

export const MARK_ANNOTATION = "k8s.ovn.org/egressip-mark";
/** Range of packet marks: each EgressIP with an assigned address has its own (src/ovn/rules.md R92). */
export const MARKS = { first: 50_000, last: 54_999 } as const;

/** Parses a mark; undefined if it is invalid or out of range. */
export function markIn(text: string | undefined): number | undefined {
  const mark = /^\d+$/.test(text ?? "") ? Number(text) : Number.NaN;
  return mark >= MARKS.first && mark <= MARKS.last ? mark : undefined;
}

/** One entry of status.items. */
export interface StatusItem {
  readonly egressIP: string;
  readonly node: string;
}

/** An address that the spec of an EgressIP lists or listed. */
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
    /** spec.egressIPs, unparsed. */
    requested: textsAt(objectAt(object, "spec"), "egressIPs"),
    items: objectsAt(status, "items").map(readItem) as readonly StatusItem[],
    hasStatus: status !== undefined,
    /** The annotation's value, unvalidated; undefined if the key is absent. */
    mark: annotations?.[MARK_ANNOTATION],
  };
}

const readItem = (item: JsonObject): StatusItem => ({
  egressIP: textAt(item, "egressIP"),
  node: textAt(item, "node"),
});

/** The first invalid address of the spec; "" if all are valid. */
export const invalidIn = ({ requested }: EgressIp): string => requested.find((text) => !parseIp(text)) ?? "";

/** The addresses of the spec by canonical text; undefined if one is invalid. */
export const wantedBy = memoize(({ requested }: EgressIp): ReadonlyMap<string, IpAddress> | undefined => {
  const wanted = new Map<string, IpAddress>();
  for (const text of requested) {
    const ip = parseIp(text);
    if (!ip) return undefined;
    wanted.set(ip.text, ip);
  }
  return wanted;
});

/**
 * Rebuilds allocations from status items before the first reconcile, so an EgressIP keeps its address against others that
 * list it. If two statuses have one address, the valid item wins, then the first in the given order.
 */
export const preloadItems = (allocator: Allocator, egressIps: readonly EgressIp[]): void =>
  runSync(preloadItemsSteps(allocator, egressIps));

/** As preloadItems, in steps that yield: a cluster can have thousands of EgressIPs. */
export function* preloadItemsSteps(allocator: Allocator, egressIps: readonly EgressIp[]): Coroutine<void> {
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

/** Also rebuilds allocations from CloudPrivateIPConfigs; returns the requests that no EgressIP needs any more. */
export const preloadRequests = (
  allocator: Allocator,
  egressIps: readonly EgressIp[],
  configs: readonly CloudPrivateIpConfig[],
): RequestedAddress[] => runSync(preloadRequestsSteps(allocator, egressIps, configs));

export function* preloadRequestsSteps(
  allocator: Allocator,
  egressIps: readonly EgressIp[],
  configs: readonly CloudPrivateIpConfig[],
): Coroutine<RequestedAddress[]> {
  yield* preloadItemsSteps(allocator, egressIps);
  const byName = new Map(egressIps.map((egressIp) => [egressIp.name, egressIp]));
  const orphans: RequestedAddress[] = [];
  for (const { owner: egressIp, address, node, deleting } of configs) {
    if (egressIp === undefined || address === undefined || deleting) continue;
    const asking = byName.get(egressIp);
    const wanted = asking && wantedBy(asking);
    if (asking && !wanted) continue; // invalid spec: keep its requests
    if (wanted?.has(address)) keepRequest(allocator, { egressIp, address }, node);
    else orphans.push({ egressIp, address });
    yield;
  }
  return orphans;
}

/** Allocates a requested address on its node, if that node can host it and has no other address of the EgressIP. */
export function keepRequest(
  allocator: Allocator,
  { egressIp, address }: RequestedAddress,
  node: string,
): void {
  const ip = parseIp(address);
  const nodes = [...allocator.heldBy(egressIp).values()];
  if (ip && allocator.canHost(node, ip) && !nodes.includes(node)) allocator.allocate(egressIp, address, node);
}
