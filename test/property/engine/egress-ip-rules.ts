// Rules for EgressIPs after any history, once the controllers are idle.
import { expect } from "vitest";
import { type Cidr, cidrContains, type IpAddress } from "../../../src/apimachinery/meta/ip.ts";
import {
  allReadable,
  mostRoomOf,
  readEgressIps,
  readNodes,
  type SeenEgressIp,
  type SeenNode,
} from "./cluster-view.ts";
import type { World } from "./world.ts";

/**
 * Whenever the controllers are idle: one holder per address, one address per node, one mark per EgressIP, and the
 * allocator agrees.
 */
export async function checkAllocations(world: World): Promise<void> {
  const egressIps = await readEgressIps(world);
  const byAddress = new Map<string, string>();
  for (const { name, items } of egressIps) {
    for (const { egressIP } of items) {
      expect(byAddress.get(egressIP) ?? name, `holder of ${egressIP}`).toBe(name);
      byAddress.set(egressIP, name);
    }
    const distinct = new Set(items.map(({ egressIP }) => egressIP)).size;
    expect(new Set(items.map(({ node }) => node)).size, `nodes of ${name}`).toBe(distinct);
  }
  const allocated = world.allocations.flatMap(({ node, allocations }) =>
    Object.entries(allocations).map(([address, name]) => ({ name, address, text: `${address}@${node}` })),
  );
  const addresses = allocated.map(({ address }) => address);
  expect(new Set(addresses).size, "an address on two nodes").toBe(addresses.length);
  for (const { name, wanted, items } of egressIps) {
    const held = allocated.filter((entry) => entry.name === name);
    const texts = held.map(({ text }) => text);
    expect(texts, `${name} is allocated`).toEqual(
      expect.arrayContaining(items.map((item) => `${item.egressIP}@${item.node}`)),
    );
    const known = wanted.map(({ text }) => text);
    for (const { address } of held) expect(known, `${name} holds what it wants`).toContain(address);
  }
  const names = new Set((await world.list("egressips")).map(({ metadata }) => metadata.name));
  for (const { name } of allocated) expect(names, "who holds an address exists").toContain(name);
  const marks = egressIps.filter(({ items }) => items.length > 0).map(({ mark }) => mark);
  if (isOlder(world)) {
    expect(marks.filter((mark) => mark !== undefined)).toEqual([]);
    return;
  }
  expect(marks).not.toContain(undefined);
  expect(new Set(marks).size, "one mark each").toBe(marks.length);
}

/** Once every EgressIP has been reconciled again: no assignment is wrong, and no address waits that could be placed. */
export async function checkPlacement(world: World): Promise<void> {
  const nodes = await readNodes(world);
  const egressIps = await readEgressIps(world);
  const readable = allReadable(nodes);
  const known = new Map(nodes.map((node) => [node.name, node]));
  for (const { name, wanted, items } of egressIps) {
    for (const { egressIP, node } of items) {
      const ip = wanted.find(({ text }) => text === egressIP);
      const holder = known.get(node);
      expect(ip && holder?.usable, `${name}: ${egressIP} on ${node}`).toBe(true);
      if (!ip || !holder || !readable) continue;
      expect(inside(networksOf(world, holder), ip), `${egressIP} on ${node}`).toBe(true);
      if (isOlder(world)) expect(isHost(nodes, ip), `${egressIP} is a host's`).toBe(false);
    }
  }
  if (!readable) return;
  if (world.cloud) checkLimits(world, nodes);
  for (const egressIp of egressIps) checkNothingWaits(world, nodes, egressIp);
}

export function networksOf({ cloud }: World, node: SeenNode): readonly Cidr[] {
  return cloud ? node.cloud.networks : [...node.primary, ...node.secondary];
}

function checkLimits(world: World, nodes: readonly SeenNode[]): void {
  for (const { name } of nodes) {
    expect(countOn(world, name), `addresses on ${name}`).toBeLessThanOrEqual(mostRoomOf(world, name));
  }
}

export function countOn({ allocations }: World, name: string): number {
  return Object.keys(allocations.find(({ node }) => node === name)?.allocations ?? {}).length;
}

function checkNothingWaits(
  world: World,
  nodes: readonly SeenNode[],
  { name, wanted, items }: SeenEgressIp,
): void {
  const { allocations } = world;
  const used = new Set(
    allocations.filter((node) => Object.values(node.allocations).includes(name)).map(({ node }) => node),
  );
  for (const ip of wanted) {
    if (items.some(({ egressIP }) => egressIP === ip.text)) continue;
    const holder = holderOf(world, ip);
    const isTaken = isHost(nodes, ip) || (holder ?? name) !== name;
    if (isTaken && isOlder(world)) return; // the search ends there
    if (isTaken || holder !== undefined) continue;
    const free = candidatesFor(world, nodes, ip).filter((node) => !used.has(node.name));
    expect(
      free.map((node) => node.name),
      `nodes for ${ip.text} of ${name}`,
    ).toEqual([]);
  }
}

/** Usable nodes that have a network for the address and, on a cloud, free capacity. */
function candidatesFor(world: World, nodes: readonly SeenNode[], ip: IpAddress): SeenNode[] {
  const fitting = nodesFor(world, nodes, ip);
  return world.cloud ? fitting.filter(({ name, cloud }) => countOn(world, name) < cloud.limit) : fitting;
}

/** Usable nodes that have a network for the address; if some of these are secondary networks, only those nodes. */
export function nodesFor(world: World, nodes: readonly SeenNode[], ip: IpAddress): SeenNode[] {
  const fitting = nodes.filter((node) => node.usable && node.known && inside(networksOf(world, node), ip));
  const secondary = fitting.filter(({ primary }) => !inside(primary, ip));
  return world.cloud || secondary.length === 0 ? fitting : secondary;
}

export const isOlder = ({ profile }: World): boolean => profile === "openshift-4.13";

/** The EgressIP for which the controller holds the address. */
export const holderOf = ({ allocations }: World, { text }: IpAddress): string | undefined =>
  allocations.find((node) => text in node.allocations)?.allocations[text];

export const isHost = (nodes: readonly SeenNode[], { text }: IpAddress): boolean =>
  nodes.some(({ hosts }) => hosts?.some(({ address }) => address.text === text));

export const inside = (cidrs: readonly Cidr[], ip: IpAddress): boolean =>
  cidrs.some((cidr) => cidrContains(cidr, ip));
