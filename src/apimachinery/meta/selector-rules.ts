// Compiled rules of a selector, by key. Matching costs one lookup per label of the object, however many requirements
// there are. A few rules are objects; many are packed (apimachinery/meta/packed-rules.ts).

import { type Coroutine, runSync } from "../scheduling/coroutine.ts";
import {
  type Anchor,
  fewest,
  holds,
  type KeyRule,
  type Labels,
  RuleDraft,
  type SelectorRules,
  type TextSet,
} from "./key-rule.ts";
import type { LabelRequirement } from "./label-requirement.ts";
import { packRules } from "./packed-rules.ts";

/** Rules with more keys and values than this are packed. */
const FEW_MAX = 32;

/** Undefined if there are no requirements. */
export const compileRules = (requirements: Iterable<LabelRequirement>): SelectorRules | undefined =>
  runSync(compileRulesInSteps(requirements));

const REQUIREMENTS_PER_STEP = 256;

/** As compileRules, in steps for very many. */
export function* compileRulesInSteps(
  requirements: Iterable<LabelRequirement>,
): Coroutine<SelectorRules | undefined> {
  const drafts = new Map<string, RuleDraft>();
  let count = 0;
  for (const wanted of requirements) {
    if (++count % REQUIREMENTS_PER_STEP === 0) yield;
    let draft = drafts.get(wanted.key);
    if (draft === undefined) {
      draft = new RuleDraft();
      drafts.set(wanted.key, draft);
    }
    draft.add(wanted);
  }
  if (drafts.size === 0) return undefined;
  for (const draft of drafts.values()) draft.finish();
  let size = drafts.size;
  for (const { allowed, denied } of drafts.values()) size += (allowed?.length ?? 0) + (denied?.length ?? 0);
  const sorted = [...drafts.keys()].sort();
  if (size > FEW_MAX) return yield* packRules(sorted, drafts);
  return new FewRules(sorted.flatMap((key) => drafts.get(key)?.rule(key) ?? []));
}

class FewRules implements SelectorRules {
  readonly #rules: readonly KeyRule[];

  constructor(rules: readonly KeyRule[]) {
    this.#rules = rules;
  }

  get anchor(): Anchor | undefined {
    let found: Anchor | undefined;
    for (const { key, required, allowed } of this.#rules) {
      if (required) found = fewest(found, { key, values: allowed });
    }
    return found;
  }

  allowed(key: string): TextSet | undefined {
    return this.#rules.find((rule) => rule.key === key)?.allowed;
  }

  matchLabels(labels: Labels): boolean {
    for (const rule of this.#rules) {
      if (!holds(rule, Object.hasOwn(labels, rule.key) ? labels[rule.key] : undefined)) return false;
    }
    return true;
  }

  matchValues(valueAt: (key: string) => string): boolean {
    return this.#rules.every((rule) => holds(rule, valueAt(rule.key)));
  }
}
