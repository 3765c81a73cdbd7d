// The tokens that a state of the grammar accepts: what messages list as expected, and where parsing continues after a
// repair.
import type { TokenKind } from "../lexer.ts";
import { endsRule, followsOf, type RuleName, ruleOf, type State } from "./grammar.ts";

/** The tokens that a state accepts within its rule; the rule's end counts as EPSILON. */
export const EPSILON = "epsilon";
export type Next = TokenKind | typeof EPSILON;

const nextSets = new Map<State, ReadonlySet<Next>>();

export function nextTokens(state: State): ReadonlySet<Next> {
  const known = nextSets.get(state);
  if (known) return known;
  const found = new Set<Next>();
  const reached = new Set([state]);
  for (const at of reached) {
    if (endsRule(at)) found.add(EPSILON);
    for (const edge of at.edges) {
      if ("tokens" in edge) addAll(found, edge.tokens);
      else if ("rule" in edge) {
        const inside = new Set(nextTokens(ruleOf(edge.rule).start)); // no rule of the grammar begins with itself
        if (inside.delete(EPSILON)) reached.add(edge.to);
        addAll(found, inside);
      } else reached.add(edge.to);
    }
  }
  nextSets.set(state, found);
  return found;
}

function addAll<T>(to: Set<T>, items: Iterable<T>): void {
  for (const item of items) to.add(item);
}

/** A rule that is being read. */
export interface Call {
  /** The state behind the rule; undefined for the outermost. */
  readonly follow: State | undefined;
  readonly precedence: number;
}

/** The tokens that a state accepts, including those behind the calling rules (innermost last). */
export function expectedAt(state: State, calls: readonly Call[]): Set<Next> {
  const found = new Set<Next>(nextTokens(state));
  for (let depth = calls.length - 1; found.delete(EPSILON); depth--) {
    const follow = calls[depth]?.follow;
    addAll(found, follow ? nextTokens(follow) : (["<EOF>"] as const));
  }
  return found;
}

/** The tokens that can follow any of the rules being read. */
export function recoverySet(calls: readonly Call[]): Set<Next> {
  const found = new Set<Next>();
  for (const { follow } of calls) if (follow) addAll(found, nextTokens(follow));
  found.delete(EPSILON);
  return found;
}

const anywhere = new Map<State, Set<Next>>();

/** The tokens that a state accepts, including those behind its rule, wherever that is called. */
export function nextAnywhere(state: State): ReadonlySet<Next> {
  const known = anywhere.get(state);
  if (known) return known;
  const found = new Set(nextTokens(state));
  const ended = new Set<RuleName>(found.has(EPSILON) ? [state.rule] : []);
  for (const rule of ended) {
    for (const follow of followsOf(rule)) {
      addAll(found, nextTokens(follow));
      if (nextTokens(follow).has(EPSILON)) ended.add(follow.rule);
    }
  }
  anywhere.set(state, found);
  return found;
}
