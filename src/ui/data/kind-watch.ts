// Watch of one kind: opens it and reopens it with backoff. Events go into the kind's table; the state of the connection
// goes to the WatchOwner.

import type { JsonObject } from "../../apimachinery/json/json.ts";
import type { PageClock } from "../frame/browser-clock.ts";
import { type Failure, KindTable } from "./kind-table.ts";
import type { Change, Kind } from "./records.ts";
import type { Ring } from "./ring.ts";

/** Access to the server. The function that watch() or identity() returns cancels the request, and no callback follows. */
export interface Transport {
  watch(
    kind: Kind,
    query: string,
    told: {
      readonly opened: () => void;
      readonly frame: (text: string) => void;
      /** Without a failure: the server closed the watch normally. */
      readonly closed: (failure?: Failure) => void;
    },
  ): () => void;
  /** Uid of the namespace kube-system, which identifies a cluster. */
  identity(told: (answer: string | Failure) => void): () => void;
  /** The objects of a kind at a revision. */
  list(kind: Kind, revision: number): Promise<readonly JsonObject[] | Failure>;
}

export const GONE = 410;
const UNAUTHORIZED = 401;
/** Status codes that an early retry does not change: the user lacks a permission, or the kind is not served. */
const REFUSALS = new Set([403, 404]);

const FIRST_DELAY_MS = 250;
const DELAY_MS_MAX = 8_000;
export const REFUSED_DELAY_MS = 60_000;

export const asksForLogin = ({ code }: Failure): boolean => code === UNAUTHORIZED;
export const isRefusal = ({ code }: Failure): boolean => REFUSALS.has(code);

/** Delay in milliseconds before the next attempt: exponential backoff with jitter; zero for the first attempt. */
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
  /** The server does not answer, or requires a login. The watch is not retried until start() is called. */
  lost(failure: Failure): void;
  /** Any other state change of the watch. */
  turned(): void;
  /** Newest revision that the watch of any kind has delivered. */
  newest(): number;
}

export class KindWatch {
  readonly kind: Kind;
  readonly table: KindTable;
  readonly #owner: WatchOwner;
  /** Cancels the open watch, or the wait before the next attempt. */
  #end: (() => void) | undefined;
  #tries = 0;
  #isOpen = false;
  /** The newest revision when the watch opened. Events up to it may still be in transit. */
  #openedAt = 0;
  /**
   * The newest revision when the watch closed: it delivered all events up to there since it opened. Infinity while it is
   * open.
   */
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

  /** Why the watch is not open; undefined while it is open or being opened. */
  get failure(): Failure | undefined {
    return this.#failure;
  }

  /** Reports whether the table holds all events up to a revision that any watch has delivered. */
  knows(revision: number): boolean {
    if (this.#failure && isRefusal(this.#failure)) return true; // a user without access to the kind sees no objects
    const told = this.table.revision;
    if (told === undefined) return false;
    return revision <= told || (this.#openedAt < revision && revision <= this.#closedAt);
  }

  /** Opens the watch, unless it is open, opening or waiting. */
  start(): void {
    if (this.#end === undefined) this.#ask();
  }

  /** Retries at once, if the watch is waiting after a failure. */
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
    if (this.#closedAt !== newest) this.#openedAt = newest; // else no event was missed
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
    // A failure that is retried without delay is not reported.
    this.#failure = delayMs === 0 ? undefined : (failure ?? { code: 0, message: "" });
    this.#end = this.#owner.clock.after(delayMs, () => {
      this.#ask();
    });
    this.#owner.turned();
  }
}
