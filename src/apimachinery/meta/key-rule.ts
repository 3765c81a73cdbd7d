// Compiled rule of a selector for one key: all requirements on the key combined, and the check of a value against them.
import { type LabelOperator, type LabelRequirement, parseInt64 } from "./label-requirement.ts";
import { ownText } from "./packed-texts.ts";

export type Labels = Readonly<Record<string, string>>;

/** Distinct texts. */
export interface TextSet {
  readonly size: number;
  has(text: string): boolean;
  list(): readonly string[];
}

/** The combined requirements on one key. */
export interface KeyRule {
  readonly key: string;
  /** The key must have a value. */
  readonly required: boolean;
  /** The key must be absent. */
  readonly forbidden: boolean;
  /** The value must be one of these; left out: any. If it is set, the members below are not used. */
  readonly allowed: TextSet | undefined;
  /** The value must be none of these. */
  readonly denied: TextSet | undefined;
  /** The value must be an integer greater than this. */
  readonly above: bigint | undefined;
  /** The value must be an integer less than this. */
  readonly below: bigint | undefined;
}

/** A key that every selected object has, and its possible values; undefined: any. */
export interface Anchor {
  readonly key: string;
  readonly values: TextSet | undefined;
}

/** The anchor that selects fewer objects. */
export function fewest(a: Anchor | undefined, b: Anchor): Anchor {
  if (a === undefined) return b;
  return (b.values?.size ?? Number.POSITIVE_INFINITY) < (a.values?.size ?? Number.POSITIVE_INFINITY) ? b : a;
}

export interface SelectorRules {
  /** The anchor with the fewest values; undefined if no key is required. */
  readonly anchor: Anchor | undefined;
  /** The allowed values of the key; undefined: any, or none at all. */
  allowed(key: string): TextSet | undefined;
  matchLabels(labels: Labels): boolean;
  /** Matches by a function that returns the value of a key. */
  matchValues(valueAt: (key: string) => string): boolean;
}

const PRESENT: ReadonlySet<LabelOperator> = new Set(["=", "==", "in", "exists", "gt", "lt"]);

/** The rule of one key while its requirements are added. */
export class RuleDraft {
  required = false;
  forbidden = false;
  /** In ascending order once the draft is finished, as those denied are. */
  allowed: readonly string[] | undefined;
  denied: string[] | undefined;
  above: bigint | undefined;
  below: bigint | undefined;

  add({ operator, values }: LabelRequirement): void {
    if (PRESENT.has(operator)) this.required = true;
    switch (operator) {
      case "!":
        this.forbidden = true;
        return;
      case "=":
      case "==":
      case "in":
        this.allowed = this.allowed === undefined ? values : inBoth(this.allowed, values);
        return;
      case "!=":
      case "notin":
        this.denied ??= [];
        for (const value of values) this.denied.push(value);
        return;
      case "gt":
      case "lt":
        this.#bound(operator, parseInt64(values[0] ?? ""));
    }
  }

  #bound(operator: "gt" | "lt", bound: bigint | undefined): void {
    if (bound === undefined)
      this.forbidden = true; // and required: nothing matches
    else if (operator === "gt")
      this.above = this.above !== undefined && this.above > bound ? this.above : bound;
    else this.below = this.below !== undefined && this.below < bound ? this.below : bound;
  }

  finish(): void {
    if (this.denied !== undefined) this.denied = sortedSet(this.denied);
    if (this.allowed === undefined) return;
    const denied = new Set(this.denied);
    this.allowed = sortedSet(this.allowed.filter((value) => !denied.has(value) && inBounds(value, this)));
    this.denied = undefined;
    this.above = undefined;
    this.below = undefined;
  }

  rule(key: string): KeyRule {
    const { required, forbidden, allowed, denied, above, below } = this;
    const set = (texts: readonly string[] | undefined) => texts && new FewTexts(texts);
    return {
      key: ownText(key),
      required,
      forbidden,
      allowed: set(allowed),
      denied: set(denied),
      above,
      below,
    };
  }
}

function inBoth(a: readonly string[], b: readonly string[]): readonly string[] {
  const known = new Set(b);
  return a.filter((text) => known.has(text));
}

const sortedSet = (texts: readonly string[]): string[] =>
  texts.length < 2 ? [...texts] : [...new Set(texts)].sort();

function inBounds(value: string, { above, below }: Pick<KeyRule, "above" | "below">): boolean {
  if (above === undefined && below === undefined) return true;
  const number = parseInt64(value);
  if (number === undefined) return false;
  return (above === undefined || number > above) && (below === undefined || number < below);
}

/** Whether the rule matches the value; undefined: the key is absent. */
export function holds(rule: KeyRule, value: string | undefined): boolean {
  if (value === undefined) return !rule.required;
  if (rule.forbidden) return false;
  if (rule.allowed !== undefined) return rule.allowed.has(value);
  return !rule.denied?.has(value) && inBounds(value, rule);
}

/** For few texts, where linear search is the fastest. */
class FewTexts implements TextSet {
  readonly #texts: readonly string[];

  constructor(texts: readonly string[]) {
    this.#texts = texts.map(ownText);
  }

  get size(): number {
    return this.#texts.length;
  }

  has(text: string): boolean {
    return this.#texts.includes(text);
  }

  list(): readonly string[] {
    return this.#texts;
  }
}
