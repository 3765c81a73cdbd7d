// Order of the writes of one process to etcd. Concurrent transactions arrive in any order. Those that share a key are
// serialized, because callers expect the order in which they issued them.
import type { TxnOp } from "../store.ts";

export class WriteQueue {
  /** By key, the last queued write of it. */
  readonly #last = new Map<string, Promise<unknown>>();
  #running = 0;
  /** The last write that must run exclusively. */
  #alone: Promise<unknown> | undefined;
  #idle: (() => void)[] = [];

  get busy(): boolean {
    return this.#running > 0;
  }

  /** Runs after all previously queued writes that share a key. */
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

  /** Runs exclusively: after all previously queued writes, before all later ones. */
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

  /** Resolves when the queue is empty. */
  async idle(): Promise<void> {
    if (this.#running > 0) await new Promise<void>((resolve) => this.#idle.push(resolve));
  }

  #ended(): void {
    if (--this.#running > 0) return;
    for (const resolve of this.#idle.splice(0)) resolve();
  }
}
