// Serializes work by key: at most one piece of work per key runs at a time.
export class Turns {
  /** The last piece of work of each key. */
  readonly #last = new Map<string, Promise<unknown>>();

  /** Runs the work after all earlier work of the key has settled. */
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
