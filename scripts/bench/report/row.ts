// One line of what was measured.

export interface Row {
  /** Names the row among its run's, and in goals: what is done, how or by how many. */
  readonly id: string;
  readonly operation: string;
  /** Connections, writers or watchers. */
  readonly clients?: number;
  readonly perSecond?: number;
  /** Of one answer. */
  readonly bytes?: number;
  readonly p50Ms?: number;
  readonly p99Ms?: number;
  /** Processor time of the server for one of them, all its threads together, in microseconds. */
  readonly cpuUs?: number;
  /** The share of the time that its main thread had a processor, from 0 to 1. */
  readonly busy?: number;
  /** Who sent the requests. */
  readonly generator?: string;
  readonly rawPerSecond?: number;
  readonly rawCpuUs?: number;
  readonly rawBusy?: number;
  /** What the raw limit is the limit of. */
  readonly raw?: string;
  /** A measure of another kind: milliseconds, megabytes. */
  readonly value?: number;
  readonly unit?: string;
  /** The raw limit of that. */
  readonly rawValue?: number;
}
