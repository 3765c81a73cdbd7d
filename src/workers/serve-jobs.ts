// The side of a thread: takes one order at a time and reports what came out.
import type { MessagePort } from "node:worker_threads";
import { type Job, openKept } from "./job.ts";
import type { Order, Report } from "./messages.ts";

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
