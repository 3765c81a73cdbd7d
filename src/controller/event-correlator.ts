// Limits Events with client-go's numbers. A repeated event only increments a count. Ten events that differ only in the
// message are combined. One source may record 25 events about one object, then one in 5 minutes.

import { type Clock, distinctNanoseconds, formatTime } from "../apimachinery/meta/clock.ts";
import type { EventSubject, Occurrence } from "../apimachinery/meta/occurrence.ts";

/** An Event as it is stored. */
export interface Said {
  readonly occurrence: Occurrence;
  readonly name: string;
  readonly count: number;
  readonly firstTimestamp: string;
  readonly lastTimestamp: string;
}

/** How an occurrence is written: as a new Event (count 1), or as an increment of an existing one. */
export interface Correlated extends Said {
  /** The correlation key, which occurrences of the same event share. Pass it to written(). */
  readonly key: string;
  readonly combined: boolean;
}

const COMBINED = "(combined from similar events): ";
const CACHE_MAX = 4096;
const SIMILAR_MAX = 10;
const SIMILAR_WITHIN_MS = 600_000;
const BURST = 25;
const REFILL_MS = 300_000;

type Seen = Pick<Said, "name" | "count" | "firstTimestamp">;

export class EventCorrelator {
  readonly #clock: Clock;
  readonly #seen = new RecentMap<Seen>();
  readonly #similar = new RecentMap<{ readonly messages: Set<string>; lastMs: number }>();
  readonly #budgets = new RecentMap<{ tokens: number; refilledMs: number }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Seeds the correlator with Events that were stored before it was created. */
  recall(said: readonly Said[]): void {
    const inOrder = [...said].sort((a, b) => (a.lastTimestamp < b.lastTimestamp ? -1 : 1));
    for (const { occurrence, ...seen } of inOrder) {
      const isCombined = occurrence.message.startsWith(COMBINED);
      this.#seen.set(isCombined ? similarKey(occurrence) : fullKey(occurrence), seen);
    }
  }

  /** True if an Event reports the occurrence, or if one combines it with others. */
  hasSaid(occurrence: Occurrence): boolean {
    return [fullKey, similarKey].some((keyOf) => this.#seen.has(keyOf(occurrence)));
  }

  /**
   * Decides how an occurrence is written. undefined: it is dropped, because its source exceeds its budget for the
   * object.
   */
  correlate(occurrence: Occurrence): Correlated | undefined {
    const similar = this.#isSimilar(occurrence);
    const shown = similar ? { ...occurrence, message: `${COMBINED}${occurrence.message}` } : occurrence;
    const key = similar ? similarKey(occurrence) : fullKey(occurrence);
    const lastTimestamp = formatTime(this.#clock.now());
    const before = this.#seen.get(key);
    const correlated: Correlated = {
      occurrence: shown,
      key,
      name: before?.name ?? `${occurrence.subject.name}.${distinctNanoseconds(this.#clock).toString(16)}`,
      count: (before?.count ?? 0) + 1,
      firstTimestamp: before?.firstTimestamp ?? lastTimestamp,
      lastTimestamp,
      combined: similar,
    };
    this.#seen.set(key, correlated);
    return this.#spend(occurrence.subject) ? correlated : undefined;
  }

  /** Records the Event that the server returned. */
  written(key: string, seen: Seen): void {
    this.#seen.set(key, seen);
  }

  /** True once ten messages of the same subject and reason arrived, each within ten minutes of the one before. */
  #isSimilar(occurrence: Occurrence): boolean {
    const key = similarKey(occurrence);
    const now = this.#clock.now();
    let record = this.#similar.get(key);
    if (!record || now - record.lastMs > SIMILAR_WITHIN_MS) record = { messages: new Set(), lastMs: now };
    record.messages.add(occurrence.message);
    record.lastMs = now;
    this.#similar.set(key, record);
    if (record.messages.size < SIMILAR_MAX) return false;
    const [oldest] = record.messages;
    if (oldest !== undefined) record.messages.delete(oldest);
    return true;
  }

  #spend(subject: EventSubject): boolean {
    const key = subjectKey(subject);
    const now = this.#clock.now();
    const budget = this.#budgets.get(key) ?? { tokens: BURST, refilledMs: now };
    budget.tokens = Math.min(BURST, budget.tokens + (now - budget.refilledMs) / REFILL_MS);
    budget.refilledMs = now;
    this.#budgets.set(key, budget);
    if (budget.tokens < 1) return false;
    budget.tokens -= 1;
    return true;
  }
}

const subjectKey = ({ kind, namespace, name, uid, apiVersion, fieldPath }: EventSubject): string =>
  JSON.stringify([kind, namespace ?? "", name, uid ?? "", apiVersion ?? "", fieldPath ?? ""]);
const similarKey = ({ subject, type, reason }: Occurrence): string =>
  JSON.stringify([subjectKey(subject), type, reason]);
const fullKey = ({ subject, type, reason, message }: Occurrence): string =>
  JSON.stringify([subjectKey(subject), type, reason, message]);

/** A map with a size limit that evicts the entry written least recently. */
class RecentMap<V> extends Map<string, V> {
  override set(key: string, value: V): this {
    this.delete(key);
    super.set(key, value);
    const [oldest] = this.keys();
    if (this.size > CACHE_MAX && oldest !== undefined) this.delete(oldest);
    return this;
  }
}
