// Small clusters as plain values, and random ones, for the tests of the map.
import fc from "fast-check";
import type { EgressIpRecord, NodeRecord, PodRecord } from "../../../../src/ui/data/records.ts";
import { type Facts, factsOf, type Known } from "../../../../src/ui/map/facts.ts";

let uids = 0;
const object = (name: string, namespace = "") => ({ uid: `uid-${uids++}`, revision: uids, namespace, name });

export const node = (name: string, more: Partial<NodeRecord> = {}): NodeRecord => ({
  ...object(name),
  ...{ labels: {}, zone: "west", isReady: true, isAssignable: true, isEnding: false, capacity: undefined },
  ...more,
});

/** Addresses with the nodes that they are on; "" for none. */
export const egressIp = (name: string, addresses: Readonly<Record<string, string>>): EgressIpRecord => ({
  ...object(name),
  addresses: Object.keys(addresses),
  assigned: Object.entries(addresses)
    .filter(([, node]) => node !== "")
    .map(([address, node]) => ({ address, node })),
  ...{ namespaceSelector: {}, podSelector: {} },
});

export const pod = (namespace: string, name: string): PodRecord => ({
  ...object(name, namespace),
  ...{ labels: {}, node: "n1", hasEnded: false, isOnHost: false, addresses: [] },
});

export interface World extends Partial<Omit<Known, "podsIn" | "podCount" | "namespaces">> {
  /** The pods of each namespace, and the EgressIPs that are meant for it. */
  readonly teams?: Readonly<Record<string, { readonly pods: number; readonly egressIps: readonly string[] }>>;
}

export function knownOf({ teams = {}, ...more }: World): Known {
  const pods = new Map(
    Object.entries(teams).map(([name, { pods }]) => [
      name,
      Array.from({ length: pods }, (_, index) => pod(name, `${name}-${index}`)),
    ]),
  );
  return {
    namespaces: Object.keys(teams).map((name) => ({
      ...object(name),
      labels: { team: name.replace(/\d/, ""), "kubernetes.io/metadata.name": name },
      isEnding: false,
    })),
    ...{ nodes: [], egressIps: [], egressServices: [], cloudRequests: [] },
    podsIn: (namespace) => pods.get(namespace) ?? [],
    podCount: (namespace) => pods.get(namespace)?.length ?? 0,
    loadBalancerOf: () => [],
    namespacesOf: ({ name }) => Object.keys(teams).filter((team) => teams[team]?.egressIps.includes(name)),
    egressIpsOf: ({ namespace }) => teams[namespace]?.egressIps ?? [],
    ...more,
  };
}

export const factsOfWorld = (world: World, moves = new Map()): Facts => factsOf(knownOf(world), moves, 0);

/** As many nodes, EgressIPs with an address each, and namespaces with pods; one in ten addresses has no node. */
export function generated(counts: {
  nodes: number;
  egressIps: number;
  namespaces: number;
  pods: number;
}): Known {
  const nodeName = (index: number) => `node-${index % counts.nodes}`;
  const names = Array.from({ length: counts.egressIps }, (_, index) => `eip-${index}`);
  const teams = Array.from({ length: counts.namespaces }, (_, index) => [
    `team-${index}`,
    { pods: counts.pods, egressIps: names.filter((_name, at) => at % counts.namespaces === index) },
  ]);
  const users = new Map(names.map((name, at) => [name, [`team-${at % counts.namespaces}`]]));
  return knownOf({
    teams: Object.fromEntries(teams),
    nodes: Array.from({ length: counts.nodes }, (_, index) =>
      node(nodeName(index), { zone: `zone-${index % 3}` }),
    ),
    egressIps: names.map((name, index) =>
      egressIp(name, { [`10.0.${index >> 8}.${index & 255}`]: index % 10 === 9 ? "" : nodeName(index) }),
    ),
    namespacesOf: ({ name }) => users.get(name) ?? [],
  });
}

const name = fc.constantFrom("a", "b", "c-1", "c-2", "d");

export const worlds: fc.Arbitrary<World> = fc
  .record({
    nodes: fc.uniqueArray(name, { maxLength: 5 }),
    egressIps: fc.array(fc.array(fc.option(name, { nil: "" }), { maxLength: 3 }), { maxLength: 150 }),
    teams: fc.dictionary(name, fc.record({ pods: fc.nat(12), first: fc.nat(150), count: fc.nat(40) }), {
      noNullPrototype: true,
    }),
  })
  .map(({ nodes, egressIps, teams }) => ({
    nodes: nodes.map((one, index) =>
      node(one, { zone: index % 2 === 0 ? "west" : "", isReady: index !== 3 }),
    ),
    egressIps: egressIps.map((held, at) =>
      egressIp(`eip-${at}`, Object.fromEntries(held.map((node, index) => [`10.0.${at}.${index}`, node]))),
    ),
    teams: Object.fromEntries(
      Object.entries(teams).map(([team, { pods, first, count }]) => [
        team,
        { pods, egressIps: egressIps.map((_, at) => `eip-${at}`).slice(first, first + count) },
      ]),
    ),
  }));
