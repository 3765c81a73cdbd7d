// Filter of the map: parsing from the URL, and evaluation. Pure.
import { listAt, type Route } from "../frame/route.ts";
import {
  type Facts,
  type Family,
  familyOf,
  type Mark,
  type NamespaceFact,
  type NodeFact,
  type Target,
} from "./facts.ts";

export interface Filter {
  readonly states: readonly Mark[];
  readonly namespaces: readonly string[];
  readonly nodes: readonly string[];
  readonly family: Family | undefined;
  /** In lower case. */
  readonly text: string;
}

/** Names of the states, in the URL and in labels. */
export const STATE_WORDS: Readonly<Record<Mark, string>> = {
  bad: "none",
  twice: "twice",
  wait: "waiting",
  move: "moving",
  ok: "assigned",
};

export function filterOf(route: Route): Filter {
  const words = listAt(route, "state");
  const family = route.query.get("family");
  return {
    states: (Object.keys(STATE_WORDS) as Mark[]).filter((mark) => words.includes(STATE_WORDS[mark])),
    namespaces: listAt(route, "ns"),
    nodes: listAt(route, "node"),
    family: family === "4" ? 4 : family === "6" ? 6 : undefined,
    text: (route.query.get("q") ?? "").trim().toLowerCase(),
  };
}

/** Query parameters of the filter, for resetting it. */
export const FILTER_PARAMETERS = ["state", "ns", "node", "family", "q"] as const;

/** Objects that pass the filter, by column. */
export interface Passing {
  readonly targets: readonly Target[];
  readonly nodes: readonly NodeFact[];
  readonly namespaces: readonly NamespaceFact[];
}

/** A namespace or node passes by its own fields, or if a passing target uses it. */
export function passing(facts: Facts, filter: Filter): Passing {
  const { states, namespaces, nodes, family, text } = filter;
  const isOfTargets = states.length > 0 || family !== undefined;
  if (!isOfTargets && namespaces.length === 0 && nodes.length === 0 && text === "") return facts;
  const targets = facts.targets.filter((target) => targetPasses(target, filter));
  const users = new Set<string>();
  const holders = new Set<string>();
  for (const target of targets) {
    for (const user of target.users) users.add(user);
    for (const { node, move } of target.addresses) holders.add(node).add(move?.from ?? node);
  }
  return {
    targets,
    namespaces: facts.namespaces.filter(
      ({ name, labels }) =>
        (namespaces.length === 0 || namespaces.includes(name)) &&
        (users.has(name) ||
          (!isOfTargets && nodes.length === 0 && (text === "" || contains(`${name} ${labels}`, text)))),
    ),
    nodes: facts.nodes.filter(
      ({ name, zone }) =>
        (nodes.length === 0 || nodes.includes(name)) &&
        (holders.has(name) ||
          (!isOfTargets && namespaces.length === 0 && (text === "" || contains(`${name} ${zone}`, text)))),
    ),
  };
}

function targetPasses(target: Target, { states, namespaces, nodes, family, text }: Filter): boolean {
  const { addresses, users } = target;
  return (
    (states.length === 0 || addresses.some(({ mark }) => states.includes(mark))) &&
    (namespaces.length === 0 || users.some((user) => namespaces.includes(user))) &&
    (nodes.length === 0 ||
      addresses.some(({ node, move }) => nodes.includes(node) || nodes.includes(move?.from ?? node))) &&
    (family === undefined || addresses.some(({ address }) => familyOf(address) === family)) &&
    (text === "" || contains(textOf(target), text))
  );
}

const textOf = ({ namespace, name, addresses, users }: Target): string =>
  [namespace, name, ...addresses.flatMap(({ address, node }) => [address, node]), ...users].join(" ");

const contains = (text: string, part: string): boolean => text.toLowerCase().includes(part);
