// Permissions of the user, requested before actions are offered. A SelfSubjectRulesReview per namespace is cached. It is
// requested again after FRESH_MS, or after the server rejects a request. The server still authorizes each request.
import { type Signal, signal } from "@preact/signals";
import type { PageClock } from "../frame/browser-clock.ts";
import { allows, type Question, type Rules } from "./question.ts";

/** "unknown": no review answered. The action is offered, and the server decides. */
export type Right = "asking" | "allowed" | "refused" | "unknown";

/** The reviews of authorization.k8s.io. The promises reject if the server refuses the review or does not answer. */
export interface Reviews {
  rulesIn(namespace: string): Promise<Rules>;
  mayDo(question: Question): Promise<boolean>;
}

/** A cached answer older than this is requested again on its next use. */
const FRESH_MS = 5 * 60_000;
/** Minimum time between renewals: a client that is rejected constantly must not renew each time. */
const RENEWED_MS = 10_000;
/** Questions that are kept across a renewal; older ones are dropped. */
const KEPT_MAX = 100;
/** No namespace can have this name, so no RoleBinding applies: the review returns the cluster-wide rules. */
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

  /** Reads a signal: a component that calls it renders again when the answer changes. */
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

  /** After a rejection or a change of user: requests all kept questions again. Answers stay until new ones arrive. */
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

  /** The rules decide, unless they are incomplete; then a SelfSubjectAccessReview does. */
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
