// Saved states with names. They are pointers into what the store holds anyway, so that a snapshot costs what has been
// changed since; they live as long as the process.
import { Sequence } from "../../meta/sequence.ts";
import { alreadyExists, conflict, failure, notFound, type StatusError } from "../../meta/status.ts";
import type { Restored, RestoreOptions, SavedState, StateKeeper } from "./state-keeper.ts";

/** So that whoever forgets to delete them does not fill the memory. */
export const SNAPSHOTS_MAX = 1000;

const SNAPSHOTS = { group: "egret", resource: "snapshots" };

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
    if (state === undefined) throw notFound(SNAPSHOTS, name);
    return state;
  }

  /** Saves the present state under a name; one of that name is kept unless `replace`. Throws 409 and 403 (too many). */
  save(name: string, { replace = false }: { readonly replace?: boolean } = {}): SavedState {
    if (this.#saved.has(name) && !replace) throw alreadyExists(SNAPSHOTS, name);
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
    if (!this.#saved.delete(name)) throw notFound(SNAPSHOTS, name);
  }
}

function tooMany(things: string, max: number): StatusError {
  const message = `there are ${max} ${things} already; delete some first`;
  return failure({ code: 403, reason: "Forbidden", message, details: {} });
}

export const FIRST_BRANCH = "main";
const BRANCHES_MAX = 100;
const BRANCHES = { group: "egret", resource: "branches" };

export interface Branch {
  readonly name: string;
  readonly current: boolean;
  /** How it was left, or how it was made; undefined for the current one, which is what the store holds. */
  readonly state: SavedState | undefined;
}

/**
 * Lines of state with names, of which one is the present one: whoever goes from one to another finds it as it was left.
 * There is one from the start, "main".
 */
export class Branches {
  readonly #keeper: StateKeeper;
  /** The states of those that are not current. */
  readonly #left = new Map<string, SavedState>();
  #current = FIRST_BRANCH;
  /** A checkout begins with what the one before it has left. */
  readonly #checkouts = new Sequence();

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
    if (name === this.#current || this.#left.has(name)) throw alreadyExists(BRANCHES, name);
    if (this.#left.size >= BRANCHES_MAX) throw tooMany("branches", BRANCHES_MAX);
    const state = from ?? this.#keeper.save();
    this.#left.set(name, state);
    return { name, current: false, state };
  }

  /** The state of a branch, also of the current one. Throws 404. */
  stateOf(name: string): SavedState {
    const state = name === this.#current ? this.#keeper.save() : this.#left.get(name);
    if (state === undefined) throw notFound(BRANCHES, name);
    return state;
  }

  /** Keeps the current branch as it stands and goes over to another. Throws 404 and StoreError. */
  checkout(name: string, options: RestoreOptions = {}): Promise<Restored> {
    return this.#checkouts.next(() => this.#goTo(name, options));
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
    if (name === this.#current) throw conflict(BRANCHES, name, "it is the current branch");
    if (!this.#left.delete(name)) throw notFound(BRANCHES, name);
  }
}
