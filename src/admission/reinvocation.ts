// Who is asked a second time: when somebody has changed the object, those that were asked before and want to know.
import { cloneJson, equalJson } from "../meta/json.ts";

/** Of one kind of mutators: policies, or webhooks. */
export class Reinvocation {
  /** Asked in the first round, and not due again yet. */
  #asked = new Set<string>();
  readonly #due = new Set<string>();
  #output: unknown;

  /** Somebody has changed the object. */
  objectChanged(): void {
    for (const key of this.#asked) this.#due.add(key);
    this.#asked = new Set();
  }

  /** It has been asked, and wants to be asked again when the object changes after that. */
  remember(key: string): void {
    this.#asked.add(key);
  }

  isDue(key: string): boolean {
    return this.#due.has(key);
  }

  /** A second round begins: whether others have changed the object since the end of the first counts as well. */
  resume(object: unknown): void {
    if (!equalJson(object, this.#output)) this.objectChanged();
  }

  finish(object: unknown): void {
    this.#output = cloneJson(object); // it is changed in place
  }
}

export interface Round {
  readonly again: boolean;
  readonly policies: Reinvocation;
  readonly webhooks: Reinvocation;
  /** Asks for a second round. */
  repeat(): void;
}
