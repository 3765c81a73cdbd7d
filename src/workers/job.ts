// A job is work that would hold the server's one thread for too long, written so that another thread can do it: a pure
// function of what can be copied from thread to thread.

export interface Job<Input, Output, Kept = undefined> {
  /** Its own in the table of src/worker.ts. */
  readonly name: string;
  /** Both are copied: plain values, bigint and bytes. What it throws is a mistake; refusals belong in the output. */
  run(input: Input, kept: Kept): Output;
  /** Makes what several jobs need from its bytes, a compiled schema from its text; a thread keeps it. */
  readonly open?: (bytes: Uint8Array) => Kept;
  /** Buffers of an output that are handed over instead of copied. */
  readonly handOver?: (output: Output) => ArrayBuffer[];
}

/** What a thread keeps from job to job. It is sent when a thread does not have it. */
export interface KeptSource {
  /** Names one content: what has changed has another key. */
  readonly key: string;
  bytes(): Promise<Uint8Array>;
}

/** Does jobs. Both reject with a StatusError when a job exceeds a limit. */
export interface Workers {
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
