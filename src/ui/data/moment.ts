// The model at an earlier revision. Moving to another revision applies only the differences.
import type { PageClock } from "../frame/browser-clock.ts";
import type { Feed } from "./feed.ts";
import { Model, type Touched } from "./model.ts";
import { type Change, KINDS } from "./records.ts";

/** Debounce while the slider moves, in milliseconds. */
const PAUSE_MS = 150;

export type Shown =
  | { readonly state: "shown"; readonly revision: number; readonly touched: Touched }
  | { readonly state: "forgotten"; readonly revision: number }
  | { readonly state: "failed"; readonly revision: number; readonly message: string };

export class Moment {
  readonly model = new Model();
  readonly #now: Model;
  readonly #feed: Pick<Feed, "past">;
  readonly #clock: PageClock;
  readonly #onShown: (shown: Shown) => void;
  /** undefined: the model is empty. */
  #revision: number | undefined;
  #wanted: number | undefined;
  /** Incremented on a change of cluster, which invalidates answers to earlier requests. */
  #cluster = 0;
  #isAsking = false;
  #cancel: (() => void) | undefined;

  constructor(now: Model, feed: Pick<Feed, "past">, clock: PageClock, onShown: (shown: Shown) => void) {
    this.#now = now;
    this.#feed = feed;
    this.#clock = clock;
    this.#onShown = onShown;
  }

  /**
   * Reports through onShown when the model is at the revision. Of several calls in a row only the last one is reported.
   */
  goTo(revision: number): void {
    this.#wanted = revision;
    this.#cancel?.();
    this.#cancel = this.#clock.after(PAUSE_MS, () => void this.#ask());
  }

  end(): void {
    this.#wanted = undefined;
    this.#cancel?.();
  }

  /** The cluster has changed: the next revision is built from the present model. */
  forget(): void {
    this.#cluster++;
    this.#revision = undefined;
  }

  async #ask(): Promise<void> {
    const revision = this.#wanted;
    if (revision === undefined || this.#isAsking) return;
    this.#isAsking = true;
    const [from, cluster] = [this.#revision, this.#cluster];
    const answer = await this.#feed.past(revision, from ?? Number.POSITIVE_INFINITY);
    this.#isAsking = false;
    if (this.#wanted === undefined) return; // end() was called
    if (cluster !== this.#cluster) return await this.#ask();
    if (answer.state !== "found") this.#onShown({ ...answer, revision });
    else {
      // The answer refers to the state that the feed has delivered by now.
      const before = answer.isAnew || from !== undefined ? [] : allOf(this.#now);
      const changes = [...before, ...answer.changes];
      const touched = this.model.apply(changes, answer.isAnew || from === undefined);
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
