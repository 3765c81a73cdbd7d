// Rules of a selector with very many keys or values, in a few flat arrays: about as large as the selector's text. Equal
// rules in use are shared, such as those of many watches with the same selector.

import type { Coroutine } from "../scheduling/coroutine.ts";
import {
  type Anchor,
  fewest,
  holds,
  type KeyRule,
  type Labels,
  type RuleDraft,
  type SelectorRules,
  type TextSet,
} from "./key-rule.ts";
import { parseInt64 } from "./label-requirement.ts";
import { PackedTexts, sameNumbers } from "./packed-texts.ts";

const REQUIRED = 1;
const FORBIDDEN = 2;
/** The values of the key are the allowed ones; otherwise the denied ones. */
const ALLOWED = 4;
/** The first values of the key are its bounds. */
const ABOVE = 8;
const BELOW = 16;

interface Packed {
  /** In ascending order, as are the values of each key except its bounds. */
  readonly keys: PackedTexts;
  readonly flags: Uint8Array;
  /** End index of the values of each key. */
  readonly ends: Uint32Array;
  readonly values: PackedTexts;
}

const KEYS_PER_STEP = 1024;

/** Packs the rules of the keys, which are in ascending order. */
export function* packRules(
  keys: readonly string[],
  drafts: ReadonlyMap<string, RuleDraft>,
): Coroutine<SelectorRules> {
  const flags = new Uint8Array(keys.length);
  const ends = new Uint32Array(keys.length);
  const values: string[] = [];
  for (const [index, key] of keys.entries()) {
    if (index % KEYS_PER_STEP === 0) yield;
    const { required, forbidden, allowed, denied, above, below } = drafts.get(key) ?? NO_DRAFT;
    if (above !== undefined) values.push(String(above));
    if (below !== undefined) values.push(String(below));
    for (const value of allowed ?? denied ?? []) values.push(value);
    flags[index] =
      (required ? REQUIRED : 0) |
      (forbidden ? FORBIDDEN : 0) |
      (allowed ? ALLOWED : 0) |
      (above === undefined ? 0 : ABOVE) |
      (below === undefined ? 0 : BELOW);
    ends[index] = values.length;
  }
  yield;
  return shared(
    new PackedRules({ keys: new PackedTexts(keys), flags, ends, values: new PackedTexts(values) }),
  );
}

const NO_DRAFT: Partial<RuleDraft> = {};

class PackedRules implements SelectorRules {
  readonly #packed: Packed;
  readonly #required: number;

  constructor(packed: Packed) {
    this.#packed = packed;
    this.#required = packed.flags.reduce((count, flag) => count + (flag & REQUIRED), 0);
  }

  get anchor(): Anchor | undefined {
    const { keys } = this.#packed;
    let found: Anchor | undefined;
    for (let index = 0; index < keys.size; index++) {
      const rule = this.#rule(index);
      if (rule.required) found = fewest(found, { key: rule.key, values: rule.allowed });
    }
    return found;
  }

  allowed(key: string): TextSet | undefined {
    const index = this.#packed.keys.find(key);
    return index < 0 ? undefined : this.#rule(index).allowed;
  }

  matchLabels(labels: Labels): boolean {
    let found = 0;
    for (const key of Object.keys(labels)) {
      const index = this.#packed.keys.find(key);
      if (index < 0) continue;
      const rule = this.#rule(index);
      if (!holds(rule, labels[key])) return false;
      if (rule.required) found++;
    }
    return found === this.#required;
  }

  matchValues(valueAt: (key: string) => string): boolean {
    for (let index = 0; index < this.#packed.keys.size; index++) {
      if (!holds(this.#rule(index), valueAt(this.#packed.keys.at(index)))) return false;
    }
    return true;
  }

  hash(): number {
    return this.#packed.keys.hash() ^ this.#packed.values.hash();
  }

  equals(other: PackedRules): boolean {
    const [mine, others] = [this.#packed, other.#packed];
    return (
      mine.keys.equals(others.keys) &&
      mine.values.equals(others.values) &&
      sameNumbers(mine.flags, others.flags) &&
      sameNumbers(mine.ends, others.ends)
    );
  }

  #rule(index: number): KeyRule {
    const { keys, flags, ends, values } = this.#packed;
    const flag = flags[index] ?? 0;
    let start = index === 0 ? 0 : (ends[index - 1] ?? 0);
    const bound = (is: number) => ((flag & is) === 0 ? undefined : parseInt64(values.at(start++)));
    const above = bound(ABOVE);
    const below = bound(BELOW);
    const set = new PackedSet(values, start, ends[index] ?? start);
    const isAllowed = (flag & ALLOWED) !== 0;
    return {
      key: keys.at(index),
      required: (flag & REQUIRED) !== 0,
      forbidden: (flag & FORBIDDEN) !== 0,
      allowed: isAllowed ? set : undefined,
      denied: isAllowed ? undefined : set,
      above,
      below,
    };
  }
}

class PackedSet implements TextSet {
  readonly #texts: PackedTexts;
  readonly #from: number;
  readonly #to: number;

  constructor(texts: PackedTexts, from: number, to: number) {
    this.#texts = texts;
    this.#from = from;
    this.#to = to;
  }

  get size(): number {
    return this.#to - this.#from;
  }

  has(text: string): boolean {
    return this.#texts.find(text, this.#from, this.#to) >= 0;
  }

  list(): readonly string[] {
    return Array.from({ length: this.size }, (_, index) => this.#texts.at(this.#from + index));
  }
}

/** Rules in use, by their hashes. On a hash collision only one of them is shared. */
const inUse = new Map<number, WeakRef<PackedRules>>();
const forget = new FinalizationRegistry((hash: number) => {
  if (inUse.get(hash)?.deref() === undefined) inUse.delete(hash);
});

function shared(rules: PackedRules): PackedRules {
  const hash = rules.hash();
  const known = inUse.get(hash)?.deref();
  if (known?.equals(rules)) return known;
  if (known === undefined) {
    inUse.set(hash, new WeakRef(rules));
    forget.register(rules, hash);
  }
  return rules;
}
