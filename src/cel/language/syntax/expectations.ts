// Which tokens can stand at a place: what messages name as expected, and where reading goes on after a repair.
import type { RuleName } from "./grammar.ts";
import { EPSILON, grammarNetwork, type Next, nextTokens, type State } from "./transition-network.ts";

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
