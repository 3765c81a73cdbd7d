// Work of which one piece at a time is done, in the order of the calls.

export class Sequence {
  #last: Promise<unknown> = Promise.resolve();

  /** Resolves once all work so far has ended, with or without success. */
  get ended(): Promise<unknown> {
    return this.#last;
  }

  /** Begins the work once all earlier work has ended. The caller gets its error; later work begins all the same. */
  next<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#last.then(work);
    this.#last = done.catch(() => undefined);
    return done;
  }
}
