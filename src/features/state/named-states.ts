// Snapshots: saved states with names. They point to values in the store, so a snapshot costs memory only for later
// changes. They are kept until the process ends.
import { Sequence } from "../../apimachinery/meta/sequence.ts";
import {
  alreadyExists,
  conflict,
  failure,
  notFound,
  type StatusError,
} from "../../apimachinery/meta/status.ts";
import type { Restored, RestoreOptions, SavedState, StateKeeper } from "./state-keeper.ts";

/** Limits memory when snapshots are never deleted. */
export const SNAPSHOTS_MAX = 1000;

const SNAPSHOTS = { group: "egret", resource: "snapshots" };

export class Snapshots {
  readonly #keeper: StateKeeper;
  readonly #saved = new Map<string, SavedState>();

  constructor(keeper: StateKeeper) {
    this.#keeper = keeper;
  }

  /** In the order of saving. */
  list(): readonly (readonly [name: string, state: SavedState])[] {
    return [...this.#saved];
  }

  /** Throws 404. */
  get(name: string): SavedState {
    const state = this.#saved.get(name);
    if (state === undefined) throw notFound(SNAPSHOTS, name);
    return state;
  }

  /**
   * Saves the current state under a name. An existing snapshot is overwritten only with `replace`. Throws 409, and 403
   * above SNAPSHOTS_MAX.
   */
  save(name: string, { replace = false }: { readonly replace?: boolean } = {}): SavedState {
    if (this.#saved.has(name) && !replace) throw alreadyExists(SNAPSHOTS, name);
    if (!this.#saved.has(name) && this.#saved.size >= SNAPSHOTS_MAX)
      throw tooMany("snapshots", SNAPSHOTS_MAX);
    const state = this.#keeper.save();
    this.#saved.delete(name); // moves the name to the end of the order
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
  /** The state at the last checkout or creation; undefined for the current branch, whose state is in the store. */
  readonly state: SavedState | undefined;
}

/**
 * Named lines of state, one of which is current. A checkout saves the current branch and restores the other one. A
 * server starts with the branch "main".
 */
export class Branches {
  readonly #keeper: StateKeeper;
  /** The states of the branches that are not current. */
  readonly #left = new Map<string, SavedState>();
  #current = FIRST_BRANCH;
  /** Serializes checkouts: each starts from the result of the previous one. */
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

  /**
   * Creates a branch from the given state, or from the current one. The current branch does not change. Throws 409 and
   * 403.
   */
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

  /** Saves the current branch and switches to another. Throws 404 and StoreError. */
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

  /** Throws 404, and 409 for the current branch. */
  delete(name: string): void {
    if (name === this.#current) throw conflict(BRANCHES, name, "it is the current branch");
    if (!this.#left.delete(name)) throw notFound(BRANCHES, name);
  }
}
