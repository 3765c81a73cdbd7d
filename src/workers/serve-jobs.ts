// The side of a thread: takes one order at a time and reports what came out; and what the pool and its threads say to
// each other.

import { readlinkSync } from "node:fs";
import { constants, setPriority } from "node:os";
import type { MessagePort } from "node:worker_threads";
import { type Job, openKept } from "./job.ts";

/** A job of the table, whatever it takes and gives: the pool sends what the job's own type asks for. */
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
  /** What the job needs from earlier: its bytes come along when the thread does not have it yet; `drop` is forgotten first. */
  readonly kept:
    | { readonly key: string; readonly bytes: Uint8Array | undefined; readonly drop: string | undefined }
    | undefined;
}

export type Report = { readonly output: unknown } | { readonly mistake: string };

/** What a thread is told when it starts. */
export interface ThreadData {
  /** How deep a value may be nested for the thread that it goes to. */
  readonly levels: number;
}

/**
 * Work in a thread gives way to the server's own thread, also where there are few processors:
 * where the system can tell threads apart, which is Linux; elsewhere they have the priority of the process.
 */
export function lowerThreadPriority(): void {
  try {
    const [, thread] = /task\/(\d+)$/.exec(readlinkSync("/proc/thread-self")) ?? [];
    if (thread !== undefined) setPriority(Number(thread), constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // Nothing depends on it but how soon others are answered.
  }
}
