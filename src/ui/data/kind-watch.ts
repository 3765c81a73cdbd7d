// One kind's watch: asked for, ended, asked for again. What it says goes into the kind's table; of what happens to the connection
// it tells whoever holds all watches.

import type { JsonObject } from "../../meta/json.ts";
import type { PageClock } from "../frame/browser-clock.ts";
import { type Failure, KindTable } from "./kind-table.ts";
import type { Change, Kind } from "./records.ts";
import type { Ring } from "./ring.ts";

/** How a server is asked. Each answer ends what it is of, and nothing of it is told then. */
export interface Transport {
  watch(
    kind: Kind,
    query: string,
    told: {
      readonly opened: () => void;
      readonly frame: (text: string) => void;
      /** Without a failure: the server has ended it in order. */
      readonly closed: (failure?: Failure) => void;
    },
  ): () => void;
  /** The uid of the namespace kube-system, by which a cluster is known. */
  identity(told: (answer: string | Failure) => void): () => void;
  /** The objects of a kind as they were at a revision. */
  list(kind: Kind, revision: number): Promise<readonly JsonObject[] | Failure>;
}

export const GONE = 410;
const UNAUTHORIZED = 401;
/** Asking again soon would not help: somebody has to be given the right, or the kind has to be served. */
const REFUSALS = new Set([403, 404]);

const FIRST_DELAY_MS = 250;
const DELAY_MS_MAX = 8_000;
export const REFUSED_DELAY_MS = 60_000;

export const asksForLogin = ({ code }: Failure): boolean => code === UNAUTHORIZED;
export const isRefusal = ({ code }: Failure): boolean => REFUSALS.has(code);

/** How long to wait before asking for the so-and-so-many-th time in vain: at once at first, and many pages not all at the same time. */
export function delayBefore(tries: number, clock: PageClock): number {
  if (tries === 0) return 0;
  const delay = Math.min(FIRST_DELAY_MS * 2 ** (tries - 1), DELAY_MS_MAX);
  return delay * (0.5 + clock.chance() / 2);
}

export interface WatchOwner {
  readonly transport: Transport;
  readonly clock: PageClock;
  readonly ring: Ring;
  changed(changes: readonly Change[]): void;
  /** Nobody answers, or somebody has to log in; it is not asked for again until start is called. */
  lost(failure: Failure): void;
  /** Something else about the watch is another than before. */
  turned(): void;
  /** The newest revision that any kind's watch has told of. */
  newest(): number;
}

export class KindWatch {
  readonly kind: Kind;
  readonly table: KindTable;
  readonly #owner: WatchOwner;
  /** Ends what is under way: a watch, or the wait for another. */
  #end: (() => void) | undefined;
  #tries = 0;
  #isOpen = false;
  /** The newest revision when it was opened: what it had missed until then may still be on its way. */
  #openedAt = 0;
  /** The newest revision when it was closed: up to there it has told all that came while it was open. Infinity while it is. */
  #closedAt = Number.POSITIVE_INFINITY;
  #failure: Failure | undefined;

  constructor(kind: Kind, owner: WatchOwner) {
    this.kind = kind;
    this.table = new KindTable(kind, owner.ring);
    this.#owner = owner;
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Why it is not open; undefined while it is, or may be soon. */
  get failure(): Failure | undefined {
    return this.#failure;
  }

  /** Whether all has been told that was there at a revision which some watch has told of. */
  knows(revision: number): boolean {
    if (this.#failure && isRefusal(this.#failure)) return true; // to whom may not see it, nothing is there
    const told = this.table.revision;
    if (told === undefined) return false;
    return revision <= told || (this.#openedAt < revision && revision <= this.#closedAt);
  }

  /** Asks, unless it has asked or waits. */
  start(): void {
    if (this.#end === undefined) this.#ask();
  }

  /** Asks at once, where it waits. */
  again(): void {
    if (this.#failure === undefined) return;
    this.stop();
    this.#tries = 0;
    this.#ask();
  }

  stop(): void {
    this.#end?.();
    this.#end = undefined;
    this.#noteClosed();
  }

  #noteOpened(): void {
    const newest = this.#owner.newest();
    if (this.#closedAt !== newest) this.#openedAt = newest; // else it has missed nothing
    this.#closedAt = Number.POSITIVE_INFINITY;
    this.#isOpen = true;
  }

  #noteClosed(): void {
    if (this.#isOpen) this.#closedAt = this.#owner.newest();
    this.#isOpen = false;
  }

  #ask(): void {
    this.#end = this.#owner.transport.watch(this.kind, this.table.begin(), {
      opened: () => {
        this.#noteOpened();
        this.#failure = undefined;
        this.#owner.turned();
      },
      frame: (text) => this.#take(text),
      closed: (failure) => this.#closed(failure),
    });
  }

  #take(text: string): void {
    const wasListed = this.table.revision !== undefined;
    const { changes, failure } = this.table.take(text);
    if (failure) {
      this.stop();
      this.#closed(failure);
      return;
    }
    this.#tries = 0;
    if (changes.length > 0) this.#owner.changed(changes);
    if (!wasListed && this.table.revision !== undefined) this.#owner.turned();
  }

  #closed(failure: Failure | undefined): void {
    this.#end = undefined;
    this.#noteClosed();
    if (failure && (failure.code === 0 || asksForLogin(failure))) {
      this.#failure = undefined;
      this.#owner.lost(failure);
      return;
    }
    if (failure?.code === GONE) this.table.relist();
    const isRefused = failure !== undefined && isRefusal(failure);
    const delayMs = isRefused ? REFUSED_DELAY_MS : delayBefore(this.#tries++, this.#owner.clock);
    // What is mended at once is not told.
    this.#failure = delayMs === 0 ? undefined : (failure ?? { code: 0, message: "" });
    this.#end = this.#owner.clock.after(delayMs, () => {
      this.#ask();
    });
    this.#owner.turned();
  }
}
