// Which alternative of a choice to take: by looking ahead as far as it takes to tell them apart, first without regard
// to what surrounds the rule, and with it only where that leaves more than one.
import { smallest } from "../../../meta/lists.ts";
import type { TokenKind } from "../lexer.ts";
import { grammarNetwork, type State } from "./transition-network.ts";

/** Where reading goes on when a rule ends: innermost first. */
export interface Stack {
  readonly state: State;
  readonly below: Stack | undefined;
}

interface Config {
  readonly state: State;
  readonly alternative: number;
  readonly stack: Stack | undefined;
  /** The end of the rule that decides has been passed without knowing what called it. */
  readonly leftRule: boolean;
}

/** The number of the alternative (from 1), or how many tokens were looked at when none was left. */
export type Prediction = { readonly alternative: number } | { readonly failedAt: number };

/** Returns the kind of the token that many tokens ahead (0 is the next). */
type Look = (ahead: number) => TokenKind;

export function predict(decision: State, look: Look, outer: () => Stack | undefined): Prediction {
  const quick = simulate(firstStep(decision), look, false);
  if (quick !== "conflict") return quick;
  const exact = simulate(stepOf(startOf(decision, outer(), true)), look, true);
  return exact === "conflict" ? { alternative: 1 } : exact;
}

/** What is possible after some tokens, and where each further token leads. */
interface LookStep {
  readonly configs: readonly Config[];
  readonly next: Map<TokenKind, LookStep | Prediction | "conflict">;
}

/** The beginnings of what decisions look at are remembered: few texts differ in them. */
const firstSteps = new Map<State, LookStep>();
const REMEMBERED_MAX = 6;

const stepOf = (configs: readonly Config[]): LookStep => ({ configs, next: new Map() });

const startOf = (decision: State, stack: Stack | undefined, exact: boolean): Config[] =>
  closure(
    decision.edges.map(({ to }, index) => ({ state: to, alternative: index + 1, stack, leftRule: false })),
    exact,
  );

function firstStep(decision: State): LookStep {
  let step = firstSteps.get(decision);
  if (!step) {
    step = stepOf(startOf(decision, undefined, false));
    firstSteps.set(decision, step);
  }
  return step;
}

function simulate(first: LookStep, look: Look, exact: boolean): Prediction | "conflict" {
  let step = first;
  for (let ahead = 0; ; ahead++) {
    const token = look(ahead);
    const known = step.next.get(token);
    const reached = known ?? advance(step.configs, token, ahead, exact);
    if (!known && ahead < REMEMBERED_MAX) step.next.set(token, reached);
    if (reached === "conflict" || !("configs" in reached)) return reached;
    step = reached;
  }
}

function advance(
  configs: readonly Config[],
  token: TokenKind,
  ahead: number,
  exact: boolean,
): LookStep | Prediction | "conflict" {
  const reached = closure(move(configs, token), exact);
  if (reached.length === 0) {
    const finished = configs.filter(({ leftRule }) => leftRule).map(({ alternative }) => alternative);
    return finished.length > 0 ? { alternative: smallest(finished, Infinity) } : { failedAt: ahead };
  }
  const alternatives = new Set(reached.map(({ alternative }) => alternative));
  const [only = 1] = alternatives;
  if (alternatives.size === 1) return { alternative: only };
  const resolved = exact ? viableAlternative(reached) : undefined;
  if (resolved !== undefined) return { alternative: resolved };
  if (!exact && isConflict(reached)) return "conflict";
  return token === "<EOF>" ? { alternative: smallest(alternatives, Infinity) } : stepOf(reached);
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

/** All configurations that are reached without reading. */
function closure(from: readonly Config[], exact: boolean): Config[] {
  const { rules, follows, stops } = grammarNetwork();
  const found = new Map<string, Config>();
  const visit = (config: Config): void => {
    const key = `${config.state.id}:${config.alternative}:${stackKey(config.stack)}`;
    if (found.has(key)) return;
    found.set(key, config);
    const ended = stops.get(config.state);
    if (ended !== undefined) {
      const { stack } = config;
      if (stack) visit({ ...config, state: stack.state, stack: stack.below });
      else if (!exact) {
        for (const state of follows.get(ended) ?? []) visit({ ...config, state, leftRule: true });
      }
    }
    for (const edge of config.state.edges) {
      if ("rule" in edge) {
        visit({ ...config, state: rules[edge.rule].start, stack: { state: edge.to, below: config.stack } });
      } else if (!("tokens" in edge)) visit({ ...config, state: edge.to });
    }
  };
  from.forEach(visit);
  return [...found.values()];
}

const stackKeys = new WeakMap<Stack, string>();

function stackKey(stack: Stack | undefined): string {
  if (!stack) return "";
  const known = stackKeys.get(stack);
  if (known !== undefined) return known;
  const key = `${stack.state.id},${stackKey(stack.below)}`;
  stackKeys.set(stack, key);
  return key;
}

/** The alternatives of every state with every set of stacks that an alternative has there. */
function conflictSets(configs: readonly Config[]): Set<number>[] {
  const stacks = new Map<string, Set<string>>();
  for (const { state, alternative, stack } of configs) {
    const key = `${state.id}:${alternative}`;
    const known = stacks.get(key) ?? new Set();
    stacks.set(key, known.add(stackKey(stack)));
  }
  const sets = new Map<string, Set<number>>();
  for (const [key, found] of stacks) {
    const [state = "", alternative = "0"] = key.split(":");
    const shown = `${state}:${found.has("") ? "" : [...found].sort().join(";")}`;
    sets.set(shown, (sets.get(shown) ?? new Set()).add(Number(alternative)));
  }
  return [...sets.values()];
}

/** More text would not tell the alternatives apart: they meet in the same places, and none has a place of its own. */
function isConflict(configs: readonly Config[]): boolean {
  if (!conflictSets(configs).some((set) => set.size > 1)) return false;
  const byState = new Map<number, Set<number>>();
  for (const { state, alternative } of configs) {
    byState.set(state.id, (byState.get(state.id) ?? new Set()).add(alternative));
  }
  return [...byState.values()].every((set) => set.size > 1);
}

/** The one alternative that is the lowest everywhere; undefined if there are several. */
function viableAlternative(configs: readonly Config[]): number | undefined {
  const lowest = new Set(conflictSets(configs).map((set) => smallest(set, Infinity)));
  const [only] = lowest;
  return lowest.size === 1 ? only : undefined;
}
