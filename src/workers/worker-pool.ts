// A few threads for jobs that would hold the server's one thread for too long. Threads start when they are needed and end
// when they have had nothing to do for a while: a server at rest has none.
import { availableParallelism } from "node:os";
import { systemClock, type Timer } from "../meta/clock.ts";
import { failure, timeout, tooManyRequests } from "../meta/status.ts";
import type { Job, KeptSource, Workers } from "./job.ts";
import { type Task, WorkerThread } from "./worker-thread.ts";

/** Real times: a job takes as long as it takes, whatever time the server shows. */
export interface PoolLimits {
  /** The server's own thread needs a processor, too. */
  readonly threadsMax: number;
  /** Jobs that wait for a thread, and hold their input meanwhile: at most 3 MB each. */
  readonly queueMax: number;
  /** A real server gives up a request after a minute: waiting for a thread counts. */
  readonly waitAndWorkMs: number;
  /** So that one request cannot take a thread from the others for that long. */
  readonly workMs: number;
  /** A thread without work ends after so long, and gives its memory back. */
  readonly idleMs: number;
  /** The heap of a thread; a job that needs more ends its thread, and not the server. */
  readonly heapMb: number;
}

const LIMITS: PoolLimits = {
  threadsMax: Math.min(Math.max(availableParallelism() - 1, 1), 4),
  queueMax: 32,
  waitAndWorkMs: 60_000,
  workMs: 30_000,
  idleMs: 10_000,
  heapMb: 256,
};

// The answers of a real server to those who exceed them.
const tooMuchWaiting = () => tooManyRequests("too many requests, please try again later", 1);
const tookTooLong = () =>
  timeout("Timeout: request did not complete within requested timeout - context deadline exceeded", 0);
const shuttingDown = () =>
  failure({ code: 503, reason: "ServiceUnavailable", message: "apiserver is shutting down" });

interface QueuedTask extends Task {
  readonly deadline: Timer;
  readonly resolve: (output: unknown) => void;
  readonly reject: (error: unknown) => void;
}

export class WorkerPool implements Workers {
  readonly #limits: PoolLimits;
  readonly #queue: QueuedTask[] = [];
  readonly #busy = new Set<WorkerThread>();
  /** Each with what ends it when nothing comes; the one that was used last is the last. */
  readonly #idle = new Map<WorkerThread, Timer>();
  #closed = false;

  constructor(limits: Partial<PoolLimits> = {}) {
    this.#limits = { ...LIMITS, ...limits };
  }

  async run<Input, Output>(job: Job<Input, Output>, input: Input): Promise<Output> {
    return (await this.#enter({ job, input, kept: undefined })) as Output; // what the job gives
  }

  async runWith<Input, Output, Kept>(
    job: Job<Input, Output, Kept>,
    input: Input,
    kept: KeptSource,
  ): Promise<Output> {
    return (await this.#enter({ job, input, kept })) as Output; // what the job gives
  }

  /** How many threads there are. */
  get threads(): number {
    return this.#busy.size + this.#idle.size;
  }

  /** Ends all threads; what is under way is answered with 503. */
  async close(): Promise<void> {
    this.#closed = true;
    for (const { deadline, reject } of this.#queue.splice(0)) {
      deadline.cancel();
      reject(shuttingDown());
    }
    await Promise.all([...this.#busy, ...this.#idle.keys()].map((thread) => thread.end(shuttingDown())));
  }

  #enter(task: Task): Promise<unknown> {
    const { queueMax, waitAndWorkMs } = this.#limits;
    if (this.#closed) return Promise.reject(shuttingDown());
    if (this.#queue.length >= queueMax) return Promise.reject(tooMuchWaiting());
    return new Promise((resolve, reject) => {
      const deadline = systemClock.after(waitAndWorkMs, () => this.#giveUp(queued));
      const queued: QueuedTask = { ...task, deadline, resolve, reject };
      this.#queue.push(queued);
      this.#next();
    });
  }

  /** Who waits too long; one that is being worked on is ended by #work. */
  #giveUp(task: QueuedTask): void {
    const index = this.#queue.indexOf(task);
    if (index < 0) return;
    this.#queue.splice(index, 1);
    task.reject(tookTooLong());
  }

  #next(): void {
    while (this.#queue.length > 0) {
      const thread = this.#takeThread();
      const task = thread && this.#queue.shift();
      if (thread === undefined || task === undefined) return;
      void this.#work(thread, task);
    }
  }

  #takeThread(): WorkerThread | undefined {
    const last = [...this.#idle].at(-1);
    if (last !== undefined) {
      const [thread, timer] = last;
      timer.cancel();
      this.#idle.delete(thread);
      this.#busy.add(thread);
      return thread;
    }
    if (this.threads >= this.#limits.threadsMax) return undefined;
    const thread = new WorkerThread(this.#limits.heapMb, () => this.#forget(thread));
    this.#busy.add(thread);
    return thread;
  }

  async #work(thread: WorkerThread, task: QueuedTask): Promise<void> {
    const timer = systemClock.after(this.#limits.workMs, () => void thread.end(tookTooLong()));
    task.deadline.cancel();
    try {
      task.resolve(await thread.do(task));
    } catch (error) {
      task.reject(error);
    } finally {
      timer.cancel();
      this.#rest(thread);
      this.#next();
    }
  }

  #rest(thread: WorkerThread): void {
    if (!this.#busy.delete(thread)) return;
    const end = () => void thread.end(shuttingDown());
    this.#idle.set(thread, systemClock.after(this.#limits.idleMs, end));
  }

  #forget(thread: WorkerThread): void {
    this.#busy.delete(thread);
    this.#idle.get(thread)?.cancel();
    this.#idle.delete(thread);
  }
}
