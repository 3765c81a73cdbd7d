// All kinds of one server, for any number of tabs: one watch each, however many look on, and none when nobody has for a while.

import { greatest } from "../../meta/lists.ts";
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

/** So long after the last tab the watches are kept: a tab that is loaded anew finds all there. */
const KEPT_MS = 30_000;

/** Whoever follows. */
export interface Follower {
  /** The last message has been taken in: another may come. */
  taken(): void;
  /** What makes the state at the revision `from` that at another; Infinity is what has been told so far. */
  past(revision: number, from: number): Promise<PastAnswer>;
  end(): void;
}

export class ServerFeed {
  readonly #transport: Transport;
  readonly #clock: PageClock;
  readonly #watches: readonly KindWatch[];
  readonly #ring = new Ring();
  readonly #outlets = new Set<Outlet>();
  /** By its uid it is known that the server holds the same cluster as before. */
  #clusterUid: string | undefined;
  /** True as long as a server that is known answers: then watches may be asked for. */
  #isKnown = false;
  #login = false;
  /** How often it was asked who the server is since all watches were open. */
  #tries = 0;
  #lostAtMs: number | undefined;
  /** When it is asked next; undefined as long as that need not be told. */
  #againAtMs: number | undefined;
  /** Ends what is under way to know the server: the question, or the wait for it. */
  #endCheck: (() => void) | undefined;
  /** Watches go on where they were: who has answered is asked once more when all are open. */
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

  /** What has failed is tried at once. */
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

  /** Asks who the server is, and begins or goes on with the watches when it answers. */
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

  /** Where the uid may not be seen, the objects tell whether it is another cluster: all are listed. */
  #known(clusterUid: string | undefined): void {
    const wasAnother =
      this.#clusterUid !== undefined && clusterUid !== undefined && clusterUid !== this.#clusterUid;
    // Who logs in may be somebody else, who may see other things.
    if (wasAnother || this.#login) this.#forget();
    else if (clusterUid === undefined) for (const { table } of this.#watches) table.relist();
    this.#isResumed = clusterUid !== undefined && this.#clusterUid === clusterUid;
    this.#clusterUid = clusterUid;
    this.#login = false;
    this.#isKnown = true;
    for (const watch of this.#watches) watch.start();
    this.#turned();
  }

  /** Between the answer and the watches another server may have come: it would know nothing of where these go on. */
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

  /** The server may have been ended, and another begun in its place: it is known again before it is asked for more. */
  #lost(failure: Failure): void {
    if (!this.#isKnown) return; // another watch has told it
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

/** The feed of a tab that has the watches itself. */
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
