// Why a controller works on a key: the changes that have put it in the line. It is kept only where decisions are logged.
import { AsyncLocalStorage } from "node:async_hooks";
import { informedChange } from "../../../client/informing.ts";

/** What a decision came of. */
export interface Cause {
  /** What the controller works on. */
  readonly key: string;
  /** The changes that made it do so, oldest first; none: its own doing, such as the passing of time. */
  readonly changes: readonly string[];
}

const CHANGES_MAX = 5;
const current = new AsyncLocalStorage<Cause>();

/** That of the work from which it is asked. */
export const presentCause = (): Cause | undefined => current.getStore();

export class Causes {
  readonly #changes = new Map<string, string[]>();

  /** The key is put in the line now. */
  note(key: string): void {
    const change = informedChange();
    if (change === undefined) return;
    const changes = this.#changes.get(key) ?? [];
    if (!changes.includes(change)) changes.push(change);
    if (changes.length > CHANGES_MAX) changes.shift();
    this.#changes.set(key, changes);
  }

  /** Does the work on a key; whatever is decided in it knows why. */
  during<T>(key: string, work: () => T): T {
    const changes = this.#changes.get(key) ?? [];
    this.#changes.delete(key);
    return current.run({ key, changes }, work);
  }
}
