// One row of the results.

export interface Row {
  /** The row's id in its run and in goals: the operation, and its variant or count. */
  readonly id: string;
  readonly operation: string;
  /** Connections, writers or watchers. */
  readonly clients?: number;
  readonly perSecond?: number;
  /** The size of one answer. */
  readonly bytes?: number;
  readonly p50Ms?: number;
  readonly p99Ms?: number;
  /** Processor time of the server per operation, all threads together, in microseconds. */
  readonly cpuUs?: number;
  /** The share of the time in which its main thread used a processor, from 0 to 1. */
  readonly busy?: number;
  /** The load generator. */
  readonly generator?: string;
  readonly rawPerSecond?: number;
  readonly rawCpuUs?: number;
  readonly rawBusy?: number;
  /** The subject of the raw limit. */
  readonly raw?: string;
  /** A measurement in another unit: milliseconds, megabytes. */
  readonly value?: number;
  readonly unit?: string;
  /** The raw limit of `value`. */
  readonly rawValue?: number;
}
