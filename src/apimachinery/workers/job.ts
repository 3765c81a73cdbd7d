// A job is work that would block the event loop for too long, written so that a worker thread can run it: a pure
// function of values that can be copied between threads.

export interface Job<Input, Output, Kept = undefined> {
  /** Unique in the table of src/worker.ts. */
  readonly name: string;
  /**
   * Input and output are copied: plain values, bigint and bytes. An exception is a bug; errors for the client belong in
   * the output.
   */
  run(input: Input, kept: Kept): Output;
  /**
   * Builds data that several jobs share from its bytes, such as a compiled schema from its text; a thread caches it.
   */
  readonly open?: (bytes: Uint8Array) => Kept;
  /** Buffers of an output that are transferred instead of copied. */
  readonly handOver?: (output: Output) => ArrayBuffer[];
}

/** Data that a thread caches between jobs. It is sent when a thread does not have it. */
export interface KeptSource {
  /** Identifies the content: other content needs another key. */
  readonly key: string;
  bytes(): Promise<Uint8Array>;
}

/** The user of a job: threads are shared fairly among users. */
export interface JobOwner {
  /** The name of the user. */
  readonly user: string;
  /** "first": with all rights; "last": anonymous. */
  readonly rank: "first" | "usual" | "last";
  /** Aborts when the client has disconnected: the job is then dropped, or ended. */
  readonly gone?: AbortSignal | undefined;
}

const PRIVILEGED_GROUP = "system:masters";
const UNAUTHENTICATED_GROUP = "system:unauthenticated";

export function jobOwner(
  { name, groups }: { readonly name: string; readonly groups: readonly string[] },
  gone?: AbortSignal,
): JobOwner {
  if (groups.includes(PRIVILEGED_GROUP)) return { user: name, rank: "first", gone };
  return { user: name, rank: groups.includes(UNAUTHENTICATED_GROUP) ? "last" : "usual", gone };
}

/** Runs jobs. Both methods reject with a StatusError when a job exceeds a limit. */
export interface Workers {
  /** The same threads, for jobs of this owner. */
  of(owner: JobOwner): Workers;
  run<Input, Output>(job: Job<Input, Output>, input: Input): Promise<Output>;
  runWith<Input, Output, Kept>(
    job: Job<Input, Output, Kept>,
    input: Input,
    kept: KeptSource,
  ): Promise<Output>;
}

export function openKept<Input, Output, Kept>(job: Job<Input, Output, Kept>, bytes: Uint8Array): Kept {
  if (job.open === undefined) throw new Error(`the job ${job.name} keeps nothing`);
  return job.open(bytes);
}
