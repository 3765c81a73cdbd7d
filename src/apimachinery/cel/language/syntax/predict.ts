// Predicts the alternative of a choice by lookahead until one remains (ALL(*) parsing, as in ANTLR): first without the
// calling rules (SLL), and with them only on a conflict (LL).
import { smallest } from "../../../meta/lists.ts";
import type { TokenKind } from "../lexer.ts";
import { endsRule, followsOf, ruleOf, type State } from "./grammar.ts";

/** The states behind the calling rules, innermost first. */
export interface Stack {
  readonly state: State;
  readonly below: Stack | undefined;
  /** Equal stacks have equal keys. */
  readonly key: string;
}

export const onStack = (state: State, below: Stack | undefined): Stack => ({
  state,
  below,
  key: `${state.id},${below?.key ?? ""}`,
});

interface Config {
  readonly state: State;
  readonly alternative: number;
  readonly stack: Stack | undefined;
  /** The lookahead has passed the end of the deciding rule without knowing its caller. */
  readonly leftRule: boolean;
}

/** The number of the alternative (from 1), or the number of tokens after which none remained. */
export type Prediction = { readonly alternative: number } | { readonly failedAt: number };

/** Returns the kind of the token that many tokens ahead (0 is the next). */
type Look = (ahead: number) => TokenKind;

export function predict(decision: State, look: Look, outer: () => Stack | undefined): Prediction {
  const quick = simulate(knownStepsOf(decision), look, false);
  if (quick !== "conflict") return quick;
  const exact = simulate(startFrom(startOf(decision, outer(), true)), look, true);
  return exact === "conflict" ? { alternative: 1 } : exact;
}

/** The result of a lookahead. */
type Outcome = { readonly alternative: number } | "failed" | "conflict";

/** The configurations after some tokens, and the transitions by further tokens (a DFA state). */
interface LookStep {
  readonly configs: readonly Config[];
  readonly next: Map<TokenKind, LookStep | Outcome>;
}

/** The cache of a decision, by configurations: a long text goes through few of them repeatedly. */
interface KnownSteps {
  readonly first: LookStep;
  readonly others: Map<string, LookStep>;
}

const knownSteps = new Map<State, KnownSteps>();
const KNOWN_STEPS_MAX = 200;
const STEP_KEY_CHARACTERS_MAX = 4000;

const startFrom = (configs: readonly Config[]): KnownSteps => ({
  first: { configs, next: new Map() },
  others: new Map(),
});

const startOf = (decision: State, stack: Stack | undefined, exact: boolean): Config[] =>
  closure(
    decision.edges.map(({ to }, index) => ({ state: to, alternative: index + 1, stack, leftRule: false })),
    exact,
  );

function knownStepsOf(decision: State): KnownSteps {
  let known = knownSteps.get(decision);
  if (!known) {
    known = startFrom(startOf(decision, undefined, false));
    knownSteps.set(decision, known);
  }
  return known;
}

function simulate(known: KnownSteps, look: Look, exact: boolean): Prediction | "conflict" {
  let step = known.first;
  for (let ahead = 0; ; ahead++) {
    const token = look(ahead);
    const reached = step.next.get(token) ?? follow(step, token, known, exact);
    if (reached === "failed") return { failedAt: ahead };
    if (reached === "conflict" || !("configs" in reached)) return reached;
    step = reached;
  }
}

/** Computes the transition of a token that this step meets for the first time. It is cached up to the limits above. */
function follow(step: LookStep, token: TokenKind, known: KnownSteps, exact: boolean): LookStep | Outcome {
  const reached = advance(step.configs, token, exact);
  const found = typeof reached !== "string" && "configs" in reached ? sameStep(reached, known) : reached;
  if (found !== undefined) step.next.set(token, found);
  return found ?? reached;
}

/** The cached step with the same configurations, or this one; undefined: it is not cached. */
function sameStep(step: LookStep, { others }: KnownSteps): LookStep | undefined {
  const key = step.configs.map((config) => `${keyOf(config)}:${config.leftRule}`).join(" ");
  if (key.length > STEP_KEY_CHARACTERS_MAX) return undefined;
  const known = others.get(key);
  if (known || others.size >= KNOWN_STEPS_MAX) return known;
  others.set(key, step);
  return step;
}

function advance(configs: readonly Config[], token: TokenKind, exact: boolean): LookStep | Outcome {
  const reached = closure(move(configs, token), exact);
  if (reached.length === 0) {
    const finished = configs.filter(({ leftRule }) => leftRule).map(({ alternative }) => alternative);
    return finished.length > 0 ? { alternative: smallest(finished, Infinity) } : "failed";
  }
  const alternative = onlyAlternative(reached);
  if (alternative !== undefined) return { alternative };
  const resolved = resolvedAlternative(reached);
  if (resolved !== undefined) return exact ? { alternative: resolved } : "conflict";
  if (token === "<EOF>") return { alternative: smallest(alternativesOf(reached), Infinity) };
  return { configs: reached, next: new Map() };
}

function move(configs: readonly Config[], token: TokenKind): Config[] {
  const moved: Config[] = [];
  for (const config of configs) {
    for (const edge of config.state.edges) {
      if ("tokens" in edge && edge.tokens.includes(token)) moved.push({ ...config, state: edge.to });
    }
  }
  return moved;
}

const keyOf = ({ state, alternative, stack }: Config): string =>
  `${state.id}:${alternative}:${stack?.key ?? ""}`;

/** All configurations that are reachable without consuming a token. */
function closure(from: readonly Config[], exact: boolean): Config[] {
  const found = new Map<string, Config>();
  const visit = (config: Config): void => {
    const { state, stack } = config;
    const key = keyOf(config);
    if (found.has(key)) return;
    found.set(key, config);
    if (endsRule(state)) {
      if (stack) visit({ ...config, state: stack.state, stack: stack.below });
      else if (!exact)
        for (const after of followsOf(state.rule)) visit({ ...config, state: after, leftRule: true });
    }
    for (const edge of state.edges) {
      if ("rule" in edge)
        visit({ ...config, state: ruleOf(edge.rule).start, stack: onStack(edge.to, stack) });
      else if (!("tokens" in edge)) visit({ ...config, state: edge.to });
    }
  };
  from.forEach(visit);
  return [...found.values()];
}

const alternativesOf = (configs: readonly Config[]): Set<number> =>
  new Set(configs.map(({ alternative }) => alternative));

function onlyAlternative(configs: readonly Config[]): number | undefined {
  const [only, other] = alternativesOf(configs);
  return other === undefined ? only : undefined;
}

/**
 * More tokens would not resolve the conflict: the alternatives reach the same configurations, and the same one is the
 * lowest in each. undefined: more tokens may resolve it.
 */
function resolvedAlternative(configs: readonly Config[]): number | undefined {
  const stacks = new Map<string, Set<string>>();
  for (const { state, alternative, stack } of configs) {
    const key = `${state.id}:${alternative}`;
    stacks.set(key, (stacks.get(key) ?? new Set()).add(stack?.key ?? ""));
  }
  /** The lowest alternative per state and stacks. */
  const lowest = new Map<string, number>();
  for (const [key, found] of stacks) {
    const [state = "", alternative = "0"] = key.split(":");
    const place = `${state}:${found.has("") ? "" : [...found].sort().join(";")}`;
    lowest.set(place, Math.min(lowest.get(place) ?? Infinity, Number(alternative)));
  }
  const [only, other] = new Set(lowest.values());
  return other === undefined ? only : undefined;
}
