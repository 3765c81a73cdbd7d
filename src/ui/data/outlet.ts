// What one tab is still to be told. An object that changes many times is told once, a tab that does not keep up is told less
// often, and no message is so long that a tab would stand still over it.
import type { PageClock } from "../frame/browser-clock.ts";
import type { FeedMessage, Link, Refusal } from "./feed.ts";
import type { Change } from "./records.ts";

/** So many messages a second at most. */
const MESSAGES_PER_SECOND_MAX = 20;
const PAUSE_MS = 1_000 / MESSAGES_PER_SECOND_MAX;
/** A tab takes so many in within some milliseconds. */
const CHANGES_MAX = 500;

/** What is true now for all tabs. */
export interface Standing {
  readonly revision: number;
  readonly link: Link;
  readonly refused: readonly Refusal[];
}

export class Outlet {
  readonly #tell: (message: FeedMessage) => void;
  readonly #clock: PageClock;
  readonly #standing: () => Standing;
  /** By uid, which is one for all kinds. */
  #pending = new Map<string, Change>();
  #isAnew = true;
  /** All that there was at the beginning has been told. */
  #isComplete = false;
  #revision = 0;
  /** The tab has not yet said that it has taken the last message in. */
  #isAwaited = false;
  #isDue = false;
  /** The last message did not hold all there was. */
  #isCut = false;
  #toldAtMs = Number.NEGATIVE_INFINITY;
  #cancel: (() => void) | undefined;

  constructor(clock: PageClock, standing: () => Standing, tell: (message: FeedMessage) => void) {
    this.#clock = clock;
    this.#standing = standing;
    this.#tell = tell;
  }

  add(changes: Iterable<Change>): void {
    for (const change of changes) {
      this.#pending.delete(change.uid); // who has changed last comes last
      this.#pending.set(change.uid, change);
    }
    this.tellSoon();
  }

  /** What was told was of another server. */
  reset(): void {
    this.#pending.clear();
    this.#isAnew = true;
    this.#isComplete = false;
    this.tellSoon();
  }

  tellSoon(): void {
    this.#isDue = true;
    if (this.#isAwaited || this.#cancel) return;
    // What was too much for one message goes on at once.
    const pauseMs = this.#isCut ? 0 : PAUSE_MS;
    const delayMs = Math.max(0, this.#toldAtMs + pauseMs - this.#clock.now());
    this.#cancel = this.#clock.after(delayMs, () => this.#send());
  }

  /** What the tab does not know yet. */
  pending(): Iterable<Change> {
    return this.#pending.values();
  }

  /** The tab can take another message. */
  taken(): void {
    this.#isAwaited = false;
    if (this.#isDue) this.tellSoon();
  }

  end(): void {
    this.#cancel?.();
  }

  #send(): void {
    const changes: Change[] = [];
    for (const [uid, change] of this.#pending) {
      if (changes.length === CHANGES_MAX) break;
      changes.push(change);
      this.#pending.delete(uid);
    }
    this.#cancel = undefined;
    this.#isCut = this.#pending.size > 0;
    this.#isDue = this.#isCut;
    this.#isAwaited = true;
    this.#toldAtMs = this.#clock.now();
    const { revision, link, refused } = this.#standing();
    if (!this.#isDue) this.#revision = revision;
    this.#isComplete ||= !this.#isDue && link.state === "live";
    const isLoading = link.state === "live" && !this.#isComplete;
    const isAnew = this.#isAnew;
    this.#isAnew = false;
    this.#tell({
      isAnew,
      changes,
      revision: this.#revision,
      link: isLoading ? { state: "loading", missing: [] } : link,
      refused,
    });
  }
}
