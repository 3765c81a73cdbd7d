// The model as it was at a revision that somebody goes back to, and from there to others.
import type { PageClock } from "../frame/browser-clock.ts";
import type { Feed } from "./feed.ts";
import { Model, type Touched } from "./model.ts";
import { type Change, KINDS } from "./records.ts";
import { Usage } from "./usage.ts";

/** Who scrubs wants to see where it ends. */
const PAUSE_MS = 150;

export type Shown =
  | { readonly state: "shown"; readonly revision: number; readonly touched: Touched }
  | { readonly state: "forgotten"; readonly revision: number }
  | { readonly state: "failed"; readonly revision: number; readonly message: string };

export class Moment {
  readonly model = new Model();
  readonly usage = new Usage(this.model);
  readonly #now: Model;
  readonly #feed: Feed;
  readonly #clock: PageClock;
  readonly #onShown: (shown: Shown) => void;
  /** undefined: the model holds nothing yet. */
  #revision: number | undefined;
  #wanted: number | undefined;
  #isAsking = false;
  #cancel: (() => void) | undefined;

  constructor(now: Model, feed: Feed, clock: PageClock, onShown: (shown: Shown) => void) {
    this.#now = now;
    this.#feed = feed;
    this.#clock = clock;
    this.#onShown = onShown;
  }

  /** Tells when it is there; who asks again and again is told of the last alone. */
  goTo(revision: number): void {
    this.#wanted = revision;
    this.#cancel?.();
    this.#cancel = this.#clock.after(PAUSE_MS, () => void this.#ask());
  }

  end(): void {
    this.#wanted = undefined;
    this.#cancel?.();
  }

  async #ask(): Promise<void> {
    const revision = this.#wanted;
    if (revision === undefined || this.#isAsking) return;
    this.#isAsking = true;
    // Taken at the same moment as the question is put.
    const before = this.#revision === undefined ? allOf(this.#now) : [];
    const answer = await this.#feed.past(revision, this.#revision ?? Number.POSITIVE_INFINITY);
    this.#isAsking = false;
    if (this.#wanted === undefined) return; // it has been ended
    if (answer.state !== "found") this.#onShown({ ...answer, revision });
    else {
      const changes = answer.isAnew ? answer.changes : [...before, ...answer.changes];
      const touched = this.model.apply(changes, answer.isAnew);
      this.usage.update(touched);
      this.#revision = revision;
      this.#onShown({ state: "shown", revision, touched });
    }
    if (this.#wanted !== revision) await this.#ask();
  }
}

const allOf = (model: Model): Change[] =>
  KINDS.flatMap((kind) =>
    [...model[kind].values()].map(
      (record) => ({ kind, uid: record.uid, record, revision: record.revision }) as Change,
    ),
  );
