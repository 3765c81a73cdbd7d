// The reference history of the clients' objects, from the events that etcd reported for all keys.
import type { TrueEvent } from "./observer.ts";

const PREFIX = "/registry/configmaps/default/";
const MARK = /<\d+>/;

export interface Change {
  readonly revision: number;
  readonly name: string;
  /** undefined: the object was deleted. */
  readonly mark: string | undefined;
  /** The previous change of the same object; undefined for the first. */
  readonly before: Change | undefined;
}

export class Truth {
  readonly changes: readonly Change[];
  readonly #byName = new Map<string, Change[]>();

  constructor(events: readonly TrueEvent[], isObserved: (name: string) => boolean) {
    const changes: Change[] = [];
    for (const { revision, key, value } of events) {
      if (!key.startsWith(PREFIX) || !isObserved(key.slice(PREFIX.length))) continue;
      const name = key.slice(PREFIX.length);
      const mark = value && (MARK.exec(value.toString("latin1"))?.[0] ?? "unmarked");
      const ofName = this.#byName.get(name) ?? [];
      const change = { revision, name, mark, before: ofName.at(-1) };
      changes.push(change);
      ofName.push(change);
      this.#byName.set(name, ofName);
    }
    this.changes = changes;
  }

  of(name: string): readonly Change[] {
    return this.#byName.get(name) ?? [];
  }

  at(revision: number): Change | undefined {
    const index = this.#countUpTo(this.changes, revision) - 1;
    return this.changes[index]?.revision === revision ? this.changes[index] : undefined;
  }

  /** Returns the first change of an object after the revision. */
  after(name: string, revision: number): Change | undefined {
    const changes = this.of(name);
    return changes[this.#countUpTo(changes, revision)];
  }

  /** From (exclusive) to (inclusive). */
  between(from: number, to: number): readonly Change[] {
    return this.changes.slice(this.#countUpTo(this.changes, from), this.#countUpTo(this.changes, to));
  }

  /** The state at a revision: by name the mark and the revision. */
  stateAt(revision: number): Map<string, { mark: string; revision: number }> {
    const state = new Map<string, { mark: string; revision: number }>();
    for (const change of this.between(0, revision)) {
      if (change.mark === undefined) state.delete(change.name);
      else state.set(change.name, { mark: change.mark, revision: change.revision });
    }
    return state;
  }

  #countUpTo(changes: readonly Change[], revision: number): number {
    let [low, high] = [0, changes.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((changes[middle]?.revision ?? 0) <= revision) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
