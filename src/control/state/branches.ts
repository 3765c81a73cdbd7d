// Lines of state with names, of which one is the present one: whoever goes from one to another finds it as it was left.
// There is one from the start, "main".
import { alreadyExists, conflict, notFound } from "../../meta/status.ts";
import { tooMany } from "./snapshots.ts";
import type { Restored, RestoreOptions, SavedState, StateKeeper } from "./state-keeper.ts";

export const FIRST_BRANCH = "main";
const BRANCHES_MAX = 100;
const WHAT = { group: "egret", resource: "branches" };

export interface Branch {
  readonly name: string;
  readonly current: boolean;
  /** How it was left, or how it was made; undefined for the current one, which is what the store holds. */
  readonly state: SavedState | undefined;
}

export class Branches {
  readonly #keeper: StateKeeper;
  /** The states of those that are not current. */
  readonly #left = new Map<string, SavedState>();
  #current = FIRST_BRANCH;
  /** Whoever goes over to a branch waits until those before him are there. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(keeper: StateKeeper) {
    this.#keeper = keeper;
  }

  get current(): string {
    return this.#current;
  }

  /** By name. */
  list(): readonly Branch[] {
    const left = [...this.#left].map(([name, state]) => ({ name, current: false, state }));
    const all: Branch[] = [...left, { name: this.#current, current: true, state: undefined }];
    return all.sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  /** Makes a branch that begins with a state, or with the present one; the current branch stays. Throws 409 and 403. */
  create(name: string, from?: SavedState): Branch {
    if (this.#has(name)) throw alreadyExists(WHAT, name);
    if (this.#left.size >= BRANCHES_MAX) throw tooMany("branches", BRANCHES_MAX);
    const state = from ?? this.#keeper.save();
    this.#left.set(name, state);
    return { name, current: false, state };
  }

  /** The state of a branch, also of the current one. Throws 404. */
  stateOf(name: string): SavedState {
    const state = name === this.#current ? this.#keeper.save() : this.#left.get(name);
    if (state === undefined) throw notFound(WHAT, name);
    return state;
  }

  /** Keeps the current branch as it stands and goes over to another. Throws 404 and StoreError. */
  checkout(name: string, options: RestoreOptions = {}): Promise<Restored> {
    const done = this.#last.then(() => this.#goTo(name, options));
    this.#last = done.catch(() => undefined); // the caller is told; the next one starts from what there is
    return done;
  }

  async #goTo(name: string, options: RestoreOptions): Promise<Restored> {
    const target = name === this.#current ? undefined : this.stateOf(name);
    const leaving = this.#current;
    const { before, ...restored } = await this.#keeper.exchange(target, options);
    if (target === undefined) return restored;
    this.#left.set(leaving, before);
    this.#left.delete(name);
    this.#current = name;
    return restored;
  }

  /** Throws 404, and 409 for the current one. */
  delete(name: string): void {
    if (name === this.#current) throw conflict(WHAT, name, "it is the current branch");
    if (!this.#left.delete(name)) throw notFound(WHAT, name);
  }

  #has(name: string): boolean {
    return name === this.#current || this.#left.has(name);
  }
}
