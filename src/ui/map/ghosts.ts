// A what-if plan on the map: present state, and planned assignments as ghosts. Only objects that differ are included.
// Pure.
import type { Difference } from "../../ovn/compare.ts";
import {
  type AddressFact,
  egressIpKey,
  type Facts,
  type Ghost,
  type NodeFact,
  type Target,
} from "./facts.ts";
import type { Passing } from "./filter.ts";

/** Planned change by node name, such as "would be not Ready". */
export type Fates = ReadonlyMap<string, string>;

/** The plan changes no address and no node. */
export const isUnmoved = ({ targets, nodes }: Passing): boolean => targets.length + nodes.length === 0;

export function ghostsOf(facts: Facts, difference: Difference, fates: Fates): Passing {
  const targets = [...movedEgressIps(facts, difference), ...movedServices(facts, difference)].sort(
    (a, b) => Number(isLoser(b)) - Number(isLoser(a)),
  );
  const users = new Set(targets.flatMap((target) => target.users));
  return {
    targets,
    namespaces: facts.namespaces.filter(({ name }) => users.has(name)),
    nodes: nodesIn(facts, targets, { difference, fates }),
  };
}

/** At least one address would be unassigned. */
export const isLoser = ({ addresses }: Target): boolean => addresses.some(({ ghost }) => ghost?.to === "");

function movedEgressIps({ targets }: Facts, { moved }: Difference): Target[] {
  const ghosts = new Map<string, Map<string, Ghost>>();
  for (const { egressIp, address, to = "" } of moved) {
    const found = ghosts.get(egressIp) ?? new Map<string, Ghost>();
    ghosts.set(egressIp, found.set(address, { to }));
  }
  const present = new Map(targets.map((target) => [target.key, target]));
  return [...ghosts].map(([name, of]) => {
    const target = present.get(egressIpKey(name)) ?? newEgressIp(name);
    const known = new Set(target.addresses.map(({ address }) => address));
    const added = [...of.keys()].filter((address) => !known.has(address)).map(newAddress);
    return {
      ...target,
      addresses: [...target.addresses, ...added].map((fact) => withGhost(fact, of.get(fact.address))),
    };
  });
}

const newEgressIp = (name: string): Target => ({
  ...{ key: egressIpKey(name), kind: "EgressIP", namespace: "", name, isNew: true },
  ...{ mark: "ok", addresses: [], users: [] },
});

const newAddress = (address: string): AddressFact => ({
  ...{ address, mark: "ok", node: "", note: "not there yet", move: undefined },
});

const withGhost = (fact: AddressFact, ghost: Ghost | undefined): AddressFact =>
  ghost === undefined ? fact : { ...fact, ghost };

/** A host that is no node name ("", "ALL") becomes "": no single node. */
function movedServices({ targets, nodes }: Facts, { services }: Difference): Target[] {
  const names = new Set(nodes.map(({ name }) => name));
  const wanted = new Map(services.map(({ egressService, to }) => [`es/${egressService}`, to]));
  return targets.flatMap((target) => {
    const to = wanted.get(target.key);
    if (to === undefined) return [];
    const ghost = { to: names.has(to) ? to : "" };
    return [{ ...target, addresses: target.addresses.map((fact) => ({ ...fact, ghost })) }];
  });
}

function nodesIn(
  { nodes }: Facts,
  targets: readonly Target[],
  { difference, fates }: { readonly difference: Difference; readonly fates: Fates },
): NodeFact[] {
  const named = new Set(fates.keys());
  for (const { addresses } of targets)
    for (const { node, ghost } of addresses) named.add(node).add(ghost?.to ?? node);
  const loads = new Map(difference.nodes.map(({ node, before, after }) => [node, { before, after }]));
  const present = nodes.filter(({ name }) => named.has(name) || loads.has(name));
  const known = new Set(nodes.map(({ name }) => name));
  const added = [...named].filter((name) => name !== "" && !known.has(name)).map(newNode);
  return [...present, ...added].map((node) => {
    const load = loads.get(node.name);
    const words = [
      fates.get(node.name),
      load && load.before !== load.after ? `would hold ${load.after}, now ${load.before}` : undefined,
    ].filter((word) => word !== undefined);
    return words.length === 0 ? node : { ...node, ghost: words.join(" · ") };
  });
}

const newNode = (name: string): NodeFact => ({
  ...{ key: `node/${name}`, name, zone: "", mark: "ok", state: "not there yet" },
  ...{ isAssignable: false, meters: [], used: 0 },
});

/** The planned assignment as text. */
export const ghostText = ({ to }: Ghost): string => (to === "" ? "would have no node" : `would be on ${to}`);
