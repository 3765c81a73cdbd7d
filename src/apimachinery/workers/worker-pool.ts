// Pool of worker threads for jobs that would block the event loop for too long. Threads start on demand and end after
// an idle time: an idle server has none.
import { availableParallelism } from "node:os";
import { systemClock, type Timer } from "../meta/clock.ts";
import { failure, timeout, tooManyRequests } from "../meta/status.ts";
import { FairQueue } from "./fair-queue.ts";
import type { Job, JobOwner, KeptSource, Workers } from "./job.ts";
import { type Task, WorkerThread } from "./worker-thread.ts";

/** Times are real time, independent of the server's clock. */
export interface PoolLimits {
  /** The server's own thread needs a processor, too. */
  readonly threadsMax: number;
  /** Additional threads for users with all rights, whose jobs never wait for those of others. */
  readonly reservedThreadsMax: number;
  /** Waiting jobs, which hold their input meanwhile: at most 3 MB each. */
  readonly queueMax: number;
  /** A real server's request timeout is a minute; it includes waiting for a thread. */
  readonly waitAndWorkMs: number;
  /** Limits how long one request can occupy a thread. */
  readonly workMs: number;
  /** A thread without work ends after this time and frees its memory. */
  readonly idleMs: number;
  /** Heap limit of a thread; a job that needs more ends its thread, and not the server. */
  readonly heapMb: number;
}

const LIMITS: PoolLimits = {
  threadsMax: Math.min(Math.max(availableParallelism() - 1, 1), 4),
  reservedThreadsMax: 1,
  queueMax: 32,
  waitAndWorkMs: 60_000,
  workMs: 15_000,
  idleMs: 10_000,
  heapMb: 256,
};

// The errors of a real server for requests that exceed these limits.
const tooMuchWaiting = () => tooManyRequests("too many requests, please try again later", 1);
const tookTooLong = () =>
  timeout("Timeout: request did not complete within requested timeout - context deadline exceeded", 0);
const worksTooLong = (ms: number) =>
  timeout(
    `Timeout: request did not complete within requested timeout - checking it takes more than ${ms / 1000}s of a thread`,
    0,
  );
const shuttingDown = () =>
  failure({ code: 503, reason: "ServiceUnavailable", message: "apiserver is shutting down" });

/** Never received: the client has closed the connection. */
const notWanted = () => failure({ code: 499, message: "the client has closed the connection" });

/** Owner of the server's own jobs. */
const SERVER: JobOwner = { user: "", rank: "usual" };

interface QueuedTask extends Task {
  readonly owner: JobOwner;
  resolve(output: unknown): void;
  reject(error: unknown): void;
}

export class WorkerPool implements Workers {
  readonly #limits: PoolLimits;
  readonly #queue: FairQueue<QueuedTask>;
  readonly #busy = new Map<WorkerThread, QueuedTask>();
  /** Idle threads with the timers that end them, the last used one last. */
  readonly #idle = new Map<WorkerThread, Timer>();
  #closed = false;

  constructor(limits: Partial<PoolLimits> = {}) {
    this.#limits = { ...LIMITS, ...limits };
    this.#queue = new FairQueue(this.#limits.queueMax);
  }

  of(owner: JobOwner): Workers {
    return {
      of: (other) => this.of(other),
      run: async <Input, Output>(job: Job<Input, Output>, input: Input) =>
        (await this.#enter({ job, input, kept: undefined }, owner)) as Output, // as the job's type declares
      runWith: async <Input, Output, Kept>(job: Job<Input, Output, Kept>, input: Input, kept: KeptSource) =>
        (await this.#enter({ job, input, kept }, owner)) as Output,
    };
  }

  run<Input, Output>(job: Job<Input, Output>, input: Input): Promise<Output> {
    return this.of(SERVER).run(job, input);
  }

  runWith<Input, Output, Kept>(
    job: Job<Input, Output, Kept>,
    input: Input,
    kept: KeptSource,
  ): Promise<Output> {
    return this.of(SERVER).runWith(job, input, kept);
  }

  /** Number of threads. */
  get threads(): number {
    return this.#busy.size + this.#idle.size;
  }

  /** Ends all threads; running jobs are answered with 503. */
  async close(): Promise<void> {
    this.#closed = true;
    for (const { reject } of this.#queue.takeAll()) reject(shuttingDown());
    await Promise.all(
      [...this.#busy.keys(), ...this.#idle.keys()].map((thread) => thread.end(shuttingDown())),
    );
  }

  #enter(task: Task, owner: JobOwner): Promise<unknown> {
    if (this.#closed) return Promise.reject(shuttingDown());
    const { gone } = owner;
    if (gone?.aborted) return Promise.reject(notWanted());
    return new Promise((resolve, reject) => {
      const cancel = () => this.#cancel(queued, notWanted());
      const leave = () => {
        deadline.cancel();
        gone?.removeEventListener("abort", cancel);
      };
      const queued: QueuedTask = {
        ...{ ...task, owner },
        resolve(output) {
          leave();
          resolve(output);
        },
        reject(error) {
          leave();
          reject(error);
        },
      };
      const deadline = systemClock.after(this.#limits.waitAndWorkMs, () => this.#giveUp(queued));
      gone?.addEventListener("abort", cancel, { once: true });
      this.#queue.add(queued)?.reject(tooMuchWaiting());
      this.#next();
    });
  }

  /** For a task that waits too long; a running one is ended by #work. */
  #giveUp(task: QueuedTask): void {
    if (this.#queue.remove(task)) task.reject(tookTooLong());
  }

  /** Removes a task from the queue, or ends the thread that runs it. */
  #cancel(task: QueuedTask, reason: unknown): void {
    if (this.#queue.remove(task)) {
      task.reject(reason);
      return;
    }
    for (const [thread, at] of this.#busy) if (at === task) void thread.end(reason);
  }

  #next(): void {
    const { threadsMax, reservedThreadsMax } = this.#limits;
    while (this.#queue.size > 0) {
      const isReserved = this.#busy.size >= threadsMax;
      if (this.#busy.size >= threadsMax + reservedThreadsMax) return;
      const task = this.#queue.take(isReserved ? ["first"] : undefined);
      if (task === undefined) return;
      try {
        void this.#work(this.#takeThread(), task);
      } catch (error) {
        task.reject(error); // the system has no descriptor for another thread
      }
    }
  }

  #takeThread(): WorkerThread {
    const last = [...this.#idle].at(-1);
    if (last !== undefined) {
      const [thread, timer] = last;
      timer.cancel();
      this.#idle.delete(thread);
      return thread;
    }
    const thread: WorkerThread = new WorkerThread(this.#limits.heapMb, () => this.#forget(thread));
    return thread;
  }

  async #work(thread: WorkerThread, task: QueuedTask): Promise<void> {
    this.#busy.set(thread, task);
    const { workMs } = this.#limits;
    const timer = systemClock.after(workMs, () => void thread.end(worksTooLong(workMs)));
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
