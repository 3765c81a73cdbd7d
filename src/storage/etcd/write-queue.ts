// The order of what one process writes to etcd. Transactions that travel at the same time arrive in any order: those that
// touch a common key wait for each other, as whoever wrote them one after the other expects.
import type { TxnOp } from "../store.ts";

export class WriteQueue {
  /** Of each key that is being written the last that will write it. */
  readonly #last = new Map<string, Promise<unknown>>();
  #running = 0;
  /** Something that nothing may run beside. */
  #alone: Promise<unknown> | undefined;
  #idle: (() => void)[] = [];

  get busy(): boolean {
    return this.#running > 0;
  }

  /** Runs after all that was queued before and touches one of the same keys. */
  inOrder<T>(ops: readonly Pick<TxnOp, "key">[], run: () => Promise<T>): Promise<T> {
    const before = new Set<Promise<unknown>>();
    if (this.#alone !== undefined) before.add(this.#alone);
    for (const { key } of ops) {
      const last = this.#last.get(key);
      if (last !== undefined) before.add(last);
    }
    this.#running++;
    const done = (before.size === 0 ? run() : Promise.allSettled(before).then(run)).finally(() => {
      for (const { key } of ops) if (this.#last.get(key) === done) this.#last.delete(key);
      this.#ended();
    });
    for (const { key } of ops) this.#last.set(key, done);
    return done;
  }

  /** Runs when all that was queued before is done; what comes later waits for it. */
  alone<T>(run: () => Promise<T>): Promise<T> {
    const before = [...this.#last.values()];
    if (this.#alone !== undefined) before.push(this.#alone);
    this.#running++;
    const done = Promise.allSettled(before)
      .then(run)
      .finally(() => {
        if (this.#alone === done) this.#alone = undefined;
        this.#ended();
      });
    this.#alone = done;
    return done;
  }

  /** Resolves when nothing is left to do. */
  async idle(): Promise<void> {
    if (this.#running > 0) await new Promise<void>((resolve) => this.#idle.push(resolve));
  }

  #ended(): void {
    if (--this.#running > 0) return;
    for (const resolve of this.#idle.splice(0)) resolve();
  }
}
