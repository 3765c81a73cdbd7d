// Queue of messages to one tab. It coalesces the changes of an object, sends less often to a slow tab, and limits the
// size of a message.
import type { PageClock } from "../frame/browser-clock.ts";
import type { FeedMessage, Link, Refusal } from "./feed.ts";
import type { Change } from "./records.ts";

const MESSAGES_PER_SECOND_MAX = 20;
const PAUSE_MS = 1_000 / MESSAGES_PER_SECOND_MAX;
/** Changes per message; a tab applies so many within some milliseconds. */
const CHANGES_MAX = 500;

/** State that is the same for all tabs. */
export interface Standing {
  readonly revision: number;
  readonly link: Link;
  readonly refused: readonly Refusal[];
}

export class Outlet {
  readonly #tell: (message: FeedMessage) => void;
  readonly #clock: PageClock;
  readonly #standing: () => Standing;
  /** By uid, which is unique across kinds. */
  #pending = new Map<string, Change>();
  #isAnew = true;
  /** The initial state has been sent completely. */
  #isComplete = false;
  #revision = 0;
  /** The tab has not acknowledged the last message. */
  #isAwaited = false;
  #isDue = false;
  /** The last message was full: more changes are pending. */
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
      this.#pending.delete(change.uid); // keeps the order of the last changes
      this.#pending.set(change.uid, change);
    }
    this.tellSoon();
  }

  /** Drops the queue: the tab's state belongs to another cluster. */
  reset(): void {
    this.#pending.clear();
    this.#isAnew = true;
    this.#isComplete = false;
    this.tellSoon();
  }

  tellSoon(): void {
    this.#isDue = true;
    if (this.#isAwaited || this.#cancel) return;
    // The rest of a full message follows without a pause.
    const pauseMs = this.#isCut ? 0 : PAUSE_MS;
    const delayMs = Math.max(0, this.#toldAtMs + pauseMs - this.#clock.now());
    this.#cancel = this.#clock.after(delayMs, () => this.#send());
  }

  /** Changes that have not been sent to the tab. */
  pending(): Iterable<Change> {
    return this.#pending.values();
  }

  /** The tab acknowledges a message. */
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
