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

/** The user of a job: threads are shared fairly among users. */
export interface JobOwner {
  /** The name of the user. */
  readonly user: string;
  /** "first": with all rights; "last": anonymous. */
  readonly rank: "first" | "usual" | "last";
  /** Aborts when the result is no longer wanted: the job is then not begun, or ended. */
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

/** Does jobs. Both reject with a StatusError when a job exceeds a limit. */
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
