// When a server has come to rest: nothing is being written and nobody outside is being asked. All that the server does
// by itself goes on at once unless it waits for one of the two or for time to pass, so after a turn of the process
// without either there is nothing left that could go on.
import { nextTurn, somebodyPauses } from "../../meta/clock.ts";
import type { Store } from "../../storage/store.ts";

export class Settling {
  readonly #store: Store;
  #asking = 0;

  constructor(store: Store) {
    this.#store = store;
  }

  /** The same function; while it is under way, the server is not at rest. */
  counted<A, R>(ask: (of: A) => Promise<R>): (of: A) => Promise<R> {
    return async (of) => {
      this.#asking++;
      try {
        return await ask(of);
      } finally {
        this.#asking--;
      }
    };
  }

  /** Resolves when the server is at rest. */
  async settled(): Promise<void> {
    do await nextTurn();
    while (this.#store.busy || this.#asking > 0 || somebodyPauses());
  }
}
