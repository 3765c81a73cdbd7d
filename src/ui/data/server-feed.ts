// Watches of all kinds of one server, shared by any number of tabs. There is one watch for each kind. They stop KEPT_MS
// after the last tab has left.

import { greatest } from "../../apimachinery/meta/lists.ts";
import type { PageClock } from "../frame/browser-clock.ts";
import type { Feed, FeedMessage, Link } from "./feed.ts";
import type { Failure } from "./kind-table.ts";
import {
  asksForLogin,
  delayBefore,
  isRefusal,
  KindWatch,
  REFUSED_DELAY_MS,
  type Transport,
} from "./kind-watch.ts";
import { Outlet, type Standing } from "./outlet.ts";
import { listedAt, NOBODY_FOLLOWS, type PastAnswer } from "./past.ts";
import { type Change, KINDS } from "./records.ts";
import { Ring } from "./ring.ts";

/** Grace period after the last tab has left; a tab that reloads within it finds the watches open. */
const KEPT_MS = 30_000;

/** Handle of one connected tab. */
export interface Follower {
  /** Acknowledges the last message. */
  taken(): void;
  /** Changes that turn the state at revision `from` into that at `revision`; Infinity: the state sent so far. */
  past(revision: number, from: number): Promise<PastAnswer>;
  end(): void;
}

export class ServerFeed {
  readonly #transport: Transport;
  readonly #clock: PageClock;
  readonly #watches: readonly KindWatch[];
  readonly #ring = new Ring();
  readonly #outlets = new Set<Outlet>();
  /** Uid of the namespace kube-system; a different uid means a different cluster. */
  #clusterUid: string | undefined;
  /** True while the identified server answers; only then are watches opened. */
  #isKnown = false;
  #login = false;
  /** Identity requests since all watches were open. */
  #tries = 0;
  #lostAtMs: number | undefined;
  /** Time of the next attempt; undefined while no attempt is to be shown. */
  #againAtMs: number | undefined;
  /** Cancels the identity request, or the wait before it. */
  #endCheck: (() => void) | undefined;
  /** The watches resume; the identity is confirmed once more when all are open. */
  #isResumed = false;
  #endConfirmation: (() => void) | undefined;
  #cancelStop: (() => void) | undefined;

  constructor(transport: Transport, clock: PageClock) {
    this.#transport = transport;
    this.#clock = clock;
    const owner = {
      transport,
      clock,
      ring: this.#ring,
      changed: (changes: readonly Change[]) => this.#changed(changes),
      lost: (failure: Failure) => this.#lost(failure),
      turned: () => this.#turned(),
      newest: () => this.#newest(),
    };
    this.#watches = KINDS.map((kind) => new KindWatch(kind, owner));
  }

  connect(onMessage: (message: FeedMessage) => void): Follower {
    const outlet = new Outlet(this.#clock, () => this.#standing(), onMessage);
    for (const { table } of this.#watches) outlet.add(table.all());
    outlet.tellSoon();
    this.#outlets.add(outlet);
    this.#cancelStop?.();
    this.#cancelStop = undefined;
    if (!this.#isKnown && !this.#endCheck) this.#check();
    return {
      taken: () => outlet.taken(),
      past: (revision, from) => this.#past(outlet, revision, from),
      end: () => this.#leave(outlet),
    };
  }

  /** Retries failed requests at once. */
  again(): void {
    if (this.#isKnown) for (const watch of this.#watches) watch.again();
    else if (this.#outlets.size > 0) {
      this.#endCheck?.();
      this.#check();
    }
  }

  async #past(outlet: Outlet, revision: number, from: number): Promise<PastAnswer> {
    const isNow = from === Number.POSITIVE_INFINITY;
    const isKnown = this.#knows(revision) && (isNow || this.#knows(from));
    const changes = isKnown ? this.#ring.between(from, revision) : undefined;
    if (!changes) return await listedAt(this.#transport, revision);
    const untold = isNow ? outlet.pending() : [];
    return { state: "found", isAnew: false, changes: [...untold, ...changes] };
  }

  #leave(outlet: Outlet): void {
    outlet.end();
    if (!this.#outlets.delete(outlet) || this.#outlets.size > 0) return;
    this.#cancelStop = this.#clock.after(KEPT_MS, () => this.#stop());
  }

  #stop(): void {
    for (const watch of this.#watches) watch.stop();
    this.#endCheck?.();
    this.#endCheck = undefined;
    this.#isKnown = false;
    this.#isResumed = false;
    this.#endConfirmation?.();
  }

  /** Requests the server's identity, and starts or resumes the watches on success. */
  #check(): void {
    this.#tries++;
    this.#endCheck = this.#transport.identity((answer) => {
      this.#endCheck = undefined;
      if (typeof answer === "string") this.#known(answer);
      else if (asksForLogin(answer)) this.#askForLogin();
      else if (isRefusal(answer)) this.#known(undefined);
      else this.#checkAgain();
    });
  }

  #checkAgain(): void {
    const delayMs = delayBefore(this.#tries, this.#clock);
    this.#lostAtMs ??= this.#clock.now();
    this.#againAtMs = this.#clock.now() + delayMs;
    this.#endCheck = this.#clock.after(delayMs, () => this.#check());
    this.#turned();
  }

  #askForLogin(): void {
    this.#login = true;
    this.#endCheck = this.#clock.after(REFUSED_DELAY_MS, () => this.#check());
    this.#turned();
  }

  /** Without access to the uid a change of cluster cannot be detected, so all kinds are relisted. */
  #known(clusterUid: string | undefined): void {
    const wasAnother =
      this.#clusterUid !== undefined && clusterUid !== undefined && clusterUid !== this.#clusterUid;
    // Another user may have logged in, with other permissions.
    if (wasAnother || this.#login) this.#forget();
    else if (clusterUid === undefined) for (const { table } of this.#watches) table.relist();
    this.#isResumed = clusterUid !== undefined && this.#clusterUid === clusterUid;
    this.#clusterUid = clusterUid;
    this.#login = false;
    this.#isKnown = true;
    for (const watch of this.#watches) watch.start();
    this.#turned();
  }

  /**
   * Another server may have replaced the first between the identity request and the watches. Its revisions are unrelated
   * to those the watches resume from.
   */
  #confirm(): void {
    this.#isResumed = false;
    this.#endConfirmation?.();
    this.#endConfirmation = this.#transport.identity((answer) => {
      if (typeof answer === "string" && answer !== this.#clusterUid && this.#isKnown) this.#known(answer);
    });
  }

  #forget(): void {
    this.#ring.clear();
    for (const watch of this.#watches) {
      watch.stop();
      watch.table.forget();
    }
    for (const outlet of this.#outlets) outlet.reset();
  }

  /** The server may have been replaced: its identity is checked before the watches reopen. */
  #lost(failure: Failure): void {
    if (!this.#isKnown) return; // reported by another watch
    this.#isKnown = false;
    if (asksForLogin(failure)) this.#askForLogin();
    else if (this.#tries > 0) this.#checkAgain();
    else {
      this.#lostAtMs = this.#clock.now();
      this.#check();
    }
  }

  #changed(changes: readonly Change[]): void {
    for (const outlet of this.#outlets) outlet.add(changes);
  }

  #turned(): void {
    if (this.#isKnown && this.#watches.every(({ isOpen, failure }) => isOpen || failure)) {
      this.#tries = 0;
      this.#lostAtMs = undefined;
      this.#againAtMs = undefined;
      if (this.#isResumed) this.#confirm();
    }
    for (const outlet of this.#outlets) outlet.tellSoon();
  }

  #standing(): Standing {
    return {
      revision: this.#newest(),
      link: this.#link(),
      refused: this.#watches.flatMap(({ kind, failure }) => (failure ? [{ kind, ...failure }] : [])),
    };
  }

  #knows(revision: number): boolean {
    return revision <= this.#newest() && this.#watches.every((watch) => watch.knows(revision));
  }

  #newest(): number {
    const told = this.#watches.map(({ table }) => table.revision ?? 0);
    return greatest(told, 0);
  }

  #link(): Link {
    if (this.#login) return { state: "login" };
    if (this.#lostAtMs !== undefined && this.#againAtMs !== undefined)
      return { state: "lost", sinceMs: this.#lostAtMs, againAtMs: this.#againAtMs };
    const missing = this.#watches.filter(({ table, failure }) => table.revision === undefined && !failure);
    if (missing.length > 0) return { state: "loading", missing: missing.map(({ kind }) => kind) };
    return { state: "live" };
  }
}

/** Feed of a tab that holds the watches itself. */
export function feedOf(server: ServerFeed): Feed {
  let follower: Follower | undefined;
  return {
    follow(onMessage) {
      const own = server.connect((message) => {
        try {
          onMessage(message);
        } finally {
          own.taken();
        }
      });
      follower = own;
      return () => own.end();
    },
    again: () => server.again(),
    past: async (revision, from) => (await follower?.past(revision, from)) ?? NOBODY_FOLLOWS,
  };
}
