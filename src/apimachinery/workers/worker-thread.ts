// One worker thread, which runs one job at a time. A job that exceeds its time or its memory ends the thread.

import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { Worker } from "node:worker_threads";
import { levelsMax } from "../meta/max-nesting-depth.ts";
import { builtFile } from "../meta/package-files.ts";
import { entityTooLarge, type StatusError } from "../meta/status.ts";
import type { Job, KeptSource } from "./job.ts";
import type { Order, Report, ThreadData } from "./serve-jobs.ts";

/** Stack of a thread: it allows 10,000 levels of nesting, as that of the server. */
const STACK_MB = 16;
/** Limit of cached data per thread, such as schemas. */
const KEPT_MAX = 8;

const tooMuchMemory = (heapMb: number): StatusError =>
  entityTooLarge(`Request entity too large: it takes more than ${heapMb} MB of memory to work on it`);

export interface Task {
  readonly job: Pick<Job<unknown, unknown>, "name">;
  readonly input: unknown;
  readonly kept: KeptSource | undefined;
}

interface Waiting {
  resolve(output: unknown): void;
  reject(error: unknown): void;
}

export class WorkerThread {
  readonly #worker: Worker;
  readonly #kept = new Set<string>();
  readonly #onEnd: () => void;
  #waiting: Waiting | undefined;

  /** onEnd is called once the thread can run no more jobs, for whatever reason. */
  constructor(heapMb: number, onEnd: () => void) {
    this.#onEnd = onEnd;
    this.#worker = startWorker(heapMb);
    // An idle thread does not keep the process alive.
    this.#worker.unref();
    this.#worker.on("message", (report: Report) => this.#take(report));
    this.#worker.on("error", (error) => this.#fail(isOutOfMemory(error) ? tooMuchMemory(heapMb) : error));
    this.#worker.on("exit", () => this.#fail(new Error("a worker thread has ended")));
  }

  /** Returns the output; rejects with a StatusError when the thread's memory does not suffice. One at a time. */
  do(task: Task): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
      this.#worker.ref();
      this.#send(task).catch((error) => this.#done()?.reject(error));
    });
  }

  /** Ends the thread; the pending job rejects with the reason. */
  async end(reason: unknown): Promise<void> {
    this.#fail(reason);
    await this.#worker.terminate();
  }

  async #send({ job, input, kept }: Task): Promise<void> {
    const order: Order = { job: job.name, input, kept: kept && (await this.#orderKept(kept)) };
    this.#worker.postMessage(order);
  }

  async #orderKept(kept: KeptSource): Promise<NonNullable<Order["kept"]>> {
    const { key } = kept;
    const bytes = this.#kept.has(key) ? undefined : await kept.bytes();
    const known = this.#kept.delete(key);
    const [oldest] = this.#kept;
    const drop = !known && this.#kept.size >= KEPT_MAX ? oldest : undefined;
    if (drop !== undefined) this.#kept.delete(drop);
    this.#kept.add(key); // the last one: most recently used
    return { key, bytes, drop };
  }

  #done(): Waiting | undefined {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    this.#worker.unref();
    return waiting;
  }

  #take(report: Report): void {
    const waiting = this.#done();
    if ("output" in report) waiting?.resolve(report.output);
    else waiting?.reject(new Error(`in a worker thread: ${report.mistake}`));
  }

  #fail(error: unknown): void {
    const waiting = this.#done();
    this.#onEnd();
    waiting?.reject(error);
  }
}

const isOutOfMemory = (error: unknown): boolean =>
  error instanceof Error && "code" in error && error.code === "ERR_WORKER_OUT_OF_MEMORY";

/** The built package has a separate file for it; code that runs from its sources uses the loader of this process. */
function startWorker(heapMb: number): Worker {
  const options = {
    resourceLimits: { maxOldGenerationSizeMb: heapMb, stackSizeMb: STACK_MB },
    execArgv: [],
    workerData: { levels: levelsMax() } satisfies ThreadData,
  };
  const built = builtFile("worker.js");
  if (built !== undefined) return new Worker(built, options);
  const tsxPackage = createRequire(import.meta.url).resolve("tsx/package.json");
  const loader = pathToFileURL(join(dirname(tsxPackage), "dist/esm/api/index.mjs")).href;
  const source = new URL("../../worker.ts", import.meta.url).href;
  const code = `import(${JSON.stringify(loader)}).then(({ register }) => (register(), import(${JSON.stringify(source)})));`;
  return new Worker(code, { ...options, eval: true });
}
