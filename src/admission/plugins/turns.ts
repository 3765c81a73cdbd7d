// Work that has to come one after the other: of one key only one piece is under way at a time.
export class Turns {
  /** The last piece of work of each key. */
  readonly #last = new Map<string, Promise<unknown>>();

  /** Does the work when all that came before has ended, however it has. */
  take<T>(key: string, work: () => Promise<T>): Promise<T> {
    const before = this.#last.get(key) ?? Promise.resolve();
    const done = before.then(work, work);
    this.#last.set(key, done);
    const end = () => {
      if (this.#last.get(key) === done) this.#last.delete(key);
    };
    done.then(end, end);
    return done;
  }
}
