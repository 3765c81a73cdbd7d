// The grammar as a transition network: states, and which tokens can be read from each. Decisions, what messages name as
// expected, and where reading goes on after a repair are worked out on it.
import type { TokenKind } from "../lexer.ts";
import { type Element, GRAMMAR, type RuleName } from "./grammar.ts";

type Edge =
  | { readonly to: State }
  | { readonly to: State; readonly tokens: readonly TokenKind[] }
  /** Reads a rule, then goes on at to. */
  | { readonly to: State; readonly rule: RuleName };

/** Which part of a choice or a loop a state begins; recovery depends on it. */
type StateRole = "block" | "starEntry" | "starBack" | "plusBack" | "plain";

export interface State {
  readonly id: number;
  readonly role: StateRole;
  readonly edges: Edge[];
}

/** A grammar element with the states that belong to it. */
export interface Part {
  readonly element: Element;
  readonly start: State;
  readonly end: State;
  readonly parts: readonly Part[];
  /** Of a loop: where an iteration ends and the next is decided on. */
  readonly back: State | undefined;
}

export interface Network {
  readonly rules: Readonly<Record<RuleName, Part>>;
  /** Where reading goes on after a rule, for every place that refers to it. */
  readonly follows: ReadonlyMap<RuleName, readonly State[]>;
  /** The rule that a state ends, if it does. */
  readonly stops: ReadonlyMap<State, RuleName>;
}

let network: Network | undefined;

export function grammarNetwork(): Network {
  network ??= new Builder().build();
  return network;
}

class Builder {
  #count = 0;
  readonly #follows = new Map<RuleName, State[]>();

  build(): Network {
    const names = Object.keys(GRAMMAR).filter((name): name is RuleName => Object.hasOwn(GRAMMAR, name));
    const built = names.map((name): [RuleName, Part] => [name, this.#part(GRAMMAR[name])]);
    return {
      rules: Object.fromEntries(built) as Record<RuleName, Part>, // one entry per name
      follows: this.#follows,
      stops: new Map(built.map(([name, part]) => [part.end, name])),
    };
  }

  #state(role: StateRole = "plain"): State {
    return { id: this.#count++, role, edges: [] };
  }

  #part(element: Element): Part {
    switch (element.kind) {
      case "tokens":
        return this.#leaf(element, (to) => ({ to, tokens: element.of }));
      case "rule": {
        const part = this.#leaf(element, (to) => ({ to, rule: element.name }));
        const known = this.#follows.get(element.name);
        if (known) known.push(part.end);
        else this.#follows.set(element.name, [part.end]);
        return part;
      }
      case "seq":
        return this.#sequence(element, element.of);
      case "alternatives":
        return this.#block(element, element.of);
      case "optional": {
        const part = this.#block(element, [element.of]);
        part.start.edges.push({ to: part.end });
        return part;
      }
      case "star":
        return this.#star(element, [element.of]);
      case "operators":
        return this.#star(element, element.of);
      case "plus":
        return this.#plus(element, element.of);
    }
  }

  #leaf(element: Element, edge: (to: State) => Edge): Part {
    const start = this.#state();
    const end = this.#state();
    start.edges.push(edge(end));
    return { element, start, end, parts: [], back: undefined };
  }

  #sequence(element: Element, of: readonly Element[]): Part {
    const parts = of.map((inner) => this.#part(inner));
    parts.forEach((part, index) => {
      const next = parts[index + 1];
      if (next) part.end.edges.push({ to: next.start });
    });
    const first = parts[0]?.start ?? this.#state();
    return { element, start: first, end: parts.at(-1)?.end ?? first, parts, back: undefined };
  }

  #block(element: Element, of: readonly Element[]): Part {
    const start = this.#state("block");
    const end = this.#state();
    const parts = of.map((inner) => this.#part(inner));
    for (const part of parts) {
      start.edges.push({ to: part.start });
      part.end.edges.push({ to: end });
    }
    return { element, start, end, parts, back: undefined };
  }

  /** The body of a loop is a block of its own; the entry decides between it and going on. */
  #star(element: Element, of: readonly Element[]): Part {
    const entry = this.#state("starEntry");
    const back = this.#state("starBack");
    const end = this.#state();
    const body = this.#block(element, of);
    entry.edges.push({ to: body.start }, { to: end });
    body.end.edges.push({ to: back });
    back.edges.push({ to: entry });
    return { element, start: entry, end, parts: [body], back };
  }

  #plus(element: Element, of: Element): Part {
    const back = this.#state("plusBack");
    const end = this.#state();
    const body = this.#block(element, [of]);
    body.end.edges.push({ to: back });
    back.edges.push({ to: body.start }, { to: end });
    return { element, start: body.start, end, parts: [body], back };
  }
}

/** What can be read next from a state within its rule; the rule's end counts as EPSILON. */
export const EPSILON = "epsilon";
export type Next = TokenKind | typeof EPSILON;

const nextSets = new Map<State, ReadonlySet<Next>>();

export function nextTokens(state: State): ReadonlySet<Next> {
  const known = nextSets.get(state);
  if (known) return known;
  const found = new Set<Next>();
  collect(state, found, new Set());
  nextSets.set(state, found);
  return found;
}

function collect(state: State, found: Set<Next>, seen: Set<State>): void {
  if (seen.has(state)) return;
  seen.add(state);
  const { rules, stops } = grammarNetwork();
  if (stops.has(state)) found.add(EPSILON);
  for (const edge of state.edges) {
    if ("tokens" in edge) for (const token of edge.tokens) found.add(token);
    else if ("rule" in edge) {
      const inside = nextTokens(rules[edge.rule].start); // no rule of the grammar begins with itself
      for (const token of inside) if (token !== EPSILON) found.add(token);
      if (inside.has(EPSILON)) collect(edge.to, found, seen);
    } else collect(edge.to, found, seen);
  }
}

/** A rule that is being read. */
export interface Call {
  readonly rule: RuleName;
  /** Where reading goes on after the rule; undefined for the outermost. */
  readonly follow: State | undefined;
  readonly precedence: number;
}

/** What can be read from a state, going on with the rules that called its rule (innermost last). */
export function expectedAt(state: State, calls: readonly Call[]): Set<Next> {
  const found = new Set<Next>(nextTokens(state));
  for (let depth = calls.length - 1; found.delete(EPSILON); depth--) {
    const follow = calls[depth]?.follow;
    if (!follow) {
      found.add("<EOF>");
      break;
    }
    for (const token of nextTokens(follow)) found.add(token);
  }
  return found;
}

/** What can follow any of the rules being read. */
export function recoverySet(calls: readonly Call[]): Set<Next> {
  const found = new Set<Next>();
  for (const { follow } of calls) {
    if (follow) for (const token of nextTokens(follow)) found.add(token);
  }
  found.delete(EPSILON);
  return found;
}

const anywhere = new Map<State, Set<Next>>();

/** What can be read from a state, also after the end of its rule, wherever that is called. */
export function nextAnywhere(state: State, rule: RuleName | undefined): ReadonlySet<Next> {
  const known = anywhere.get(state);
  if (known) return known;
  const found = new Set(nextTokens(state));
  if (found.has(EPSILON) && rule) addFollows(rule, found, new Set());
  anywhere.set(state, found);
  return found;
}

function addFollows(rule: RuleName, found: Set<Next>, seen: Set<RuleName>): void {
  if (seen.has(rule)) return;
  seen.add(rule);
  for (const follow of grammarNetwork().follows.get(rule) ?? []) {
    const next = nextTokens(follow);
    for (const token of next) found.add(token);
    const outer = next.has(EPSILON) ? ruleEndedFrom(follow) : undefined;
    if (outer) addFollows(outer, found, seen);
  }
}

/** The rule whose end is reached from a state without reading. */
function ruleEndedFrom(from: State): RuleName | undefined {
  const { stops } = grammarNetwork();
  const seen = new Set<State>();
  const todo = [from];
  for (let state = todo.pop(); state; state = todo.pop()) {
    const found = stops.get(state);
    if (found) return found;
    if (seen.has(state)) continue;
    seen.add(state);
    for (const edge of state.edges) if (!("tokens" in edge) && !("rule" in edge)) todo.push(edge.to);
  }
  return undefined;
}
