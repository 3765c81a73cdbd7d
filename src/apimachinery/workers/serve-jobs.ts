// The worker side: runs one job at a time and reports the result. Also the messages between the pool and its threads.

import { readlinkSync } from "node:fs";
import { constants, setPriority } from "node:os";
import type { MessagePort } from "node:worker_threads";
import { type Job, openKept } from "./job.ts";

/** A job of the table, of any type: the pool sends the input that the job's own type requires. */
// biome-ignore lint/suspicious/noExplicitAny: jobs of all types stand in one table
export type AnyJob = Job<any, any, any>;

export function serveJobs(port: MessagePort, jobs: readonly AnyJob[]): void {
  const table = new Map(jobs.map((job) => [job.name, job]));
  const kept = new Map<string, unknown>();
  port.on("message", (order: Order) => {
    const job = table.get(order.job);
    try {
      if (job === undefined) throw new Error(`no job is known as ${order.job}`);
      const output: unknown = job.run(order.input, keptFor(job, order, kept));
      port.postMessage({ output } satisfies Report, job.handOver?.(output) ?? []);
    } catch (error) {
      const mistake = error instanceof Error ? (error.stack ?? error.message) : String(error);
      port.postMessage({ mistake } satisfies Report);
    }
  });
}

function keptFor(job: AnyJob, { kept: wanted }: Order, kept: Map<string, unknown>): unknown {
  if (wanted === undefined) return undefined;
  if (wanted.drop !== undefined) kept.delete(wanted.drop);
  if (wanted.bytes !== undefined) kept.set(wanted.key, openKept(job, wanted.bytes));
  return kept.get(wanted.key);
}

export interface Order {
  readonly job: string;
  readonly input: unknown;
  /**
   * The cached data that the job needs. Its bytes are included if the thread does not have it yet; `drop` is evicted
   * first.
   */
  readonly kept:
    | { readonly key: string; readonly bytes: Uint8Array | undefined; readonly drop: string | undefined }
    | undefined;
}

export type Report = { readonly output: unknown } | { readonly mistake: string };

/** Start-up data of a thread. */
export interface ThreadData {
  /** Limit of the nesting depth in the thread that receives the results. */
  readonly levels: number;
}

/**
 * Lowers the priority of a worker thread below that of the server's thread. Only Linux has priorities per thread;
 * elsewhere threads have the priority of the process.
 */
export function lowerThreadPriority(): void {
  try {
    const [, thread] = /task\/(\d+)$/.exec(readlinkSync("/proc/thread-self")) ?? [];
    if (thread !== undefined) setPriority(Number(thread), constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // The priority affects only response times.
  }
}
