// Work of which one piece at a time is done.

export class Sequence {
  #last: Promise<unknown> = Promise.resolve();

  /** Begins the work once all earlier work has ended, with or without success. */
  next<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#last.then(work);
    this.#last = done.catch(() => undefined);
    return done;
  }
}
