// Saved states with names. They are pointers into what the store holds anyway, so that a snapshot costs what has been
// changed since; they live as long as the process.
import { alreadyExists, failure, notFound, type StatusError } from "../../meta/status.ts";
import type { Restored, RestoreOptions, SavedState, StateKeeper } from "./state-keeper.ts";

/** So that whoever forgets to delete them does not fill the memory. */
export const SNAPSHOTS_MAX = 1000;

const WHAT = { group: "egret", resource: "snapshots" };

export class Snapshots {
  readonly #keeper: StateKeeper;
  readonly #saved = new Map<string, SavedState>();

  constructor(keeper: StateKeeper) {
    this.#keeper = keeper;
  }

  /** In the order in which they were saved. */
  list(): readonly (readonly [name: string, state: SavedState])[] {
    return [...this.#saved];
  }

  /** Throws 404. */
  get(name: string): SavedState {
    const state = this.#saved.get(name);
    if (state === undefined) throw notFound(WHAT, name);
    return state;
  }

  /** Saves the present state under a name; one of that name is kept unless `replace`. Throws 409 and 403 (too many). */
  save(name: string, { replace = false }: { readonly replace?: boolean } = {}): SavedState {
    if (this.#saved.has(name) && !replace) throw alreadyExists(WHAT, name);
    if (!this.#saved.has(name) && this.#saved.size >= SNAPSHOTS_MAX)
      throw tooMany("snapshots", SNAPSHOTS_MAX);
    const state = this.#keeper.save();
    this.#saved.delete(name); // a new one is the newest
    this.#saved.set(name, state);
    return state;
  }

  /** Throws 404. */
  restore(name: string, options: RestoreOptions = {}): Promise<Restored> {
    return this.#keeper.restore(this.get(name), options);
  }

  /** Throws 404. */
  delete(name: string): void {
    if (!this.#saved.delete(name)) throw notFound(WHAT, name);
  }
}

export function tooMany(things: string, max: number): StatusError {
  const message = `there are ${max} ${things} already; delete some first`;
  return failure({ code: 403, reason: "Forbidden", message, details: {} });
}
