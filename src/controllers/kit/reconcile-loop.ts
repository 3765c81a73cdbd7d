// What every controller of this project consists of: informers that fill a queue, workers that reconcile its keys, and
// retries with growing pauses. A controller adds its handlers and its reconcile function.
import type { Informer } from "../../client/informer.ts";
import type { Controller, ControllerDeps } from "../runtime/controller.ts";
import { Causes } from "../runtime/logging/causes.ts";
import { errorText } from "../runtime/logging/logger.ts";
import { runWorkers, WorkQueue } from "../runtime/work-queue.ts";

export interface ReconcileLoopOptions {
  readonly name: string;
  readonly deps: ControllerDeps;
  readonly informers: readonly Informer[];
  /** Brings one key in line. When it throws, the key is tried again after a pause. */
  reconcile(key: string): Promise<void> | Promise<Requeue | undefined>;
  /** Called once, when the informers are synced and before the first key is worked on. */
  prepare?(): void;
  /** Other work that idle has to wait for, such as events on their way. */
  readonly settle?: () => Promise<void>;
  readonly workers?: number | undefined;
  readonly retry?: RetryOptions | undefined;
}

/** A key that is in line is looked at again after so long, unless a change comes first. */
export interface Requeue {
  readonly requeueAfterMs: number;
}

export interface RetryOptions {
  /** The pause after a first failure; it doubles with each further one. */
  readonly firstMs?: number;
  readonly maxMs?: number;
  /** A key that failed so often waits for the next change. */
  readonly attemptsMax?: number;
}

const WORKERS = 16;
const RETRY: Required<RetryOptions> = { firstMs: 1_000, maxMs: 60_000, attemptsMax: 15 };

export class ReconcileLoop implements Controller {
  readonly queue: WorkQueue;
  readonly #options: ReconcileLoopOptions;
  readonly #retry: Required<RetryOptions>;
  /** Kept where decisions are logged. */
  readonly #causes: Causes | undefined;
  readonly #abort = new AbortController();
  /** Keys that were there at the start and have not been brought in line since. */
  readonly #first = new Set<string>();
  #running: Promise<void> = Promise.resolve();

  constructor(options: ReconcileLoopOptions) {
    this.#options = options;
    this.#retry = { ...RETRY, ...options.retry };
    this.#causes = options.deps.log.debug === undefined ? undefined : new Causes();
    this.queue = new WorkQueue({
      clock: options.deps.clock,
      onAdd: this.#causes && ((key) => this.#causes?.note(key)),
      retryFirstMs: this.#retry.firstMs,
      retryMaxMs: this.#retry.maxMs,
    });
    options.deps.onQueue?.(options.name, this.queue);
  }

  get name(): string {
    return this.#options.name;
  }

  get activity(): number {
    return this.queue.activity;
  }

  /** Aborts when the controller stops. */
  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /**
   * True while a key is looked at because the controller has started: what is found then may have been found, and said,
   * before.
   */
  isFirstLook(key: string): boolean {
    return this.#first.has(key);
  }

  /** Takes all keys that wait now for such as the start has put there. */
  noteFirstLooks(): void {
    for (const key of this.queue.keys()) this.#first.add(key);
  }

  async start(signal: AbortSignal): Promise<void> {
    if (signal.aborted) this.#end();
    else signal.addEventListener("abort", () => this.#end(), { once: true });
    const { informers, prepare } = this.#options;
    for (const informer of informers) informer.start(this.signal);
    for (const informer of informers) await informer.synced();
    if (this.signal.aborted) return;
    prepare?.();
    this.noteFirstLooks();
    this.#running = this.#work();
  }

  async stop(): Promise<void> {
    this.#end();
    await this.#running;
  }

  async idle(): Promise<void> {
    let before: number;
    do {
      before = this.activity;
      for (const informer of this.#options.informers) await informer.caughtUp();
      await this.queue.idle();
      await this.#options.settle?.();
    } while (this.activity !== before && !this.signal.aborted);
  }

  #end(): void {
    this.#abort.abort();
    this.queue.shutDown();
  }

  #work(): Promise<void> {
    const { reconcile, workers = WORKERS } = this.#options;
    const work = async (key: string): Promise<void> => {
      const again = await (this.#causes === undefined
        ? reconcile(key)
        : this.#causes.during(key, () => reconcile(key)));
      this.queue.forget(key);
      this.#first.delete(key);
      if (again) this.queue.addAfter(key, again.requeueAfterMs);
    };
    return runWorkers(this.queue, work, { workers, onError: (key, error) => this.#failed(key, error) });
  }

  #failed(key: string, error: unknown): void {
    if (this.signal.aborted) return;
    const { name, deps } = this.#options;
    const attempts = this.queue.failures(key) + 1;
    const fields = { controller: name, key, attempts, error: errorText(error) };
    if (attempts >= this.#retry.attemptsMax) {
      deps.log.error("reconcile failed; waiting for the next change", fields);
      this.queue.forget(key);
      this.#first.delete(key);
      return;
    }
    deps.log.warn("reconcile failed; trying again", fields);
    this.queue.addRateLimited(key);
  }
}
