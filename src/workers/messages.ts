// What the pool and its threads say to each other.

export interface Order {
  readonly job: string;
  readonly input: unknown;
  readonly kept: OrderedKept | undefined;
}

/** What the job needs from earlier: its bytes come along when the thread does not have it yet. */
interface OrderedKept {
  readonly key: string;
  readonly bytes: Uint8Array | undefined;
  /** What the thread is to forget first. */
  readonly drop: string | undefined;
}

export type Report = { readonly output: unknown } | { readonly mistake: string };

/** What a thread is told when it starts. */
export interface ThreadData {
  /** How deep a value may be nested for the thread that it goes to. */
  readonly levels: number;
}
