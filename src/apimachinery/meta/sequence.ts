// Runs asynchronous work one at a time, in the order of the calls.

export class Sequence {
  #last: Promise<unknown> = Promise.resolve();

  /** Resolves once all work so far has ended, with or without success. */
  get ended(): Promise<unknown> {
    return this.#last;
  }

  /** Starts the work once all earlier work has ended. Errors go to the caller and do not affect later work. */
  next<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#last.then(work);
    this.#last = done.catch(() => undefined);
    return done;
  }
}
