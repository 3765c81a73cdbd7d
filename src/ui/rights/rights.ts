// What the user may do, found out before it is offered to him: the server's own reviews are asked, once for a namespace, and again
// when the server has refused something or time has passed. The server decides all the same.
import { type Signal, signal } from "@preact/signals";
import type { PageClock } from "../frame/browser-clock.ts";
import { allows, type Question, type Rules } from "./question.ts";

/** "unknown": nobody could say; it is offered then, and the server will say. */
export type Right = "asking" | "allowed" | "refused" | "unknown";

/** The reviews of authorization.k8s.io. They reject where they are refused, or nobody answers. */
export interface Reviews {
  /** A SelfSubjectRulesReview. */
  rulesIn(namespace: string): Promise<Rules>;
  /** A SelfSubjectAccessReview. */
  mayDo(question: Question): Promise<boolean>;
}

/** So old an answer is asked for anew when it is used again. */
const FRESH_MS = 5 * 60_000;
/** A refusal may mean that rights have changed; where refusals come all the time they mean nothing new. */
const RENEWED_MS = 10_000;
/** More questions are not kept when rights are asked for anew. */
const KEPT_MAX = 100;
/** No namespace can have this name, and nobody has rights of his own there: its rules are those of the whole cluster. */
const NO_NAMESPACE = "-";

interface Known {
  readonly right: Signal<Right>;
  askedMs: number;
}

export class Rights {
  readonly #reviews: Reviews;
  readonly #clock: PageClock;
  readonly #known = new Map<string, Known>();
  readonly #rules = new Map<string, { readonly rules: Promise<Rules>; readonly askedMs: number }>();
  #renewedMs = Number.NEGATIVE_INFINITY;

  constructor(reviews: Reviews, clock: PageClock) {
    this.#reviews = reviews;
    this.#clock = clock;
  }

  /** Of a signal: whoever shows it is drawn anew when the answer comes, or another one. */
  of(question: Question): Right {
    const key = JSON.stringify(question);
    const now = this.#clock.now();
    const known = this.#known.get(key) ?? { right: signal<Right>("asking"), askedMs: now - FRESH_MS };
    if (now - known.askedMs >= FRESH_MS) {
      this.#known.set(key, known);
      known.askedMs = now;
      void this.#find(question, known.right);
    }
    return known.right.value;
  }

  /** Something was refused, or somebody else may be looking: what is known stands until it is known anew. */
  renew(): void {
    const now = this.#clock.now();
    if (now - this.#renewedMs < RENEWED_MS) return;
    this.#renewedMs = now;
    this.#rules.clear();
    for (const key of [...this.#known.keys()].slice(0, -KEPT_MAX)) this.#known.delete(key);
    for (const [key, known] of this.#known) {
      known.askedMs = now;
      void this.#find(JSON.parse(key) as Question, known.right);
    }
  }

  async #find(question: Question, right: Signal<Right>): Promise<void> {
    try {
      right.value = (await this.#mayDo(question)) ? "allowed" : "refused";
    } catch {
      right.value = "unknown";
    }
  }

  /** The rules say all of it, unless they are incomplete. */
  async #mayDo(question: Question): Promise<boolean> {
    const namespace = "path" in question ? "" : question.namespace;
    const rules = await this.#rulesIn(namespace || NO_NAMESPACE).catch(() => undefined);
    if (rules === undefined || rules.incomplete) return this.#reviews.mayDo(question);
    return allows(rules, question);
  }

  #rulesIn(namespace: string): Promise<Rules> {
    const now = this.#clock.now();
    const asked = this.#rules.get(namespace);
    if (asked && now - asked.askedMs < FRESH_MS) return asked.rules;
    const rules = this.#reviews.rulesIn(namespace);
    this.#rules.set(namespace, { rules, askedMs: now });
    return rules;
  }
}
