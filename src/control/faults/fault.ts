// What a fault is made of: which requests it is about, how often it strikes, and the one thing that it does. The same
// types are what TypeScript tests write; schema.ts says it for everybody else.

/** One text, or any of several. A * stands for any letters. */
export type Patterns = string | readonly string[];

/** Members that are left out match everything; paths that name no resource are only matched by `path`. */
export interface FaultMatch {
  readonly verb?: FaultVerb | readonly FaultVerb[];
  /** "" is the core group. */
  readonly group?: Patterns;
  readonly version?: Patterns;
  /** Plural, lower case. */
  readonly resource?: Patterns;
  /** "" is the object itself. */
  readonly subresource?: Patterns;
  readonly namespace?: Patterns;
  /** Of the path, of the body of a create, or of the fieldSelector of a list or watch. */
  readonly name?: Patterns;
  /** The header; of a controller inside the server, its field manager. Controllers are hit only by faults that name them so. */
  readonly userAgent?: Patterns;
  /** In whose name the request is made. */
  readonly user?: Patterns;
  /** A path that names no resource, such as /apis. */
  readonly path?: Patterns;
}

export const FAULT_VERBS = [
  "get",
  "list",
  "watch",
  "create",
  "update",
  "patch",
  "delete",
  "deletecollection",
] as const;
export type FaultVerb = (typeof FAULT_VERBS)[number];

/** Milliseconds: always so many, or drawn evenly from a range. */
export type Milliseconds = number | { readonly min: number; readonly max: number };

/** A Status in the place of the answer. */
export interface ErrorFault {
  readonly code: number;
  /** Left out: the one that belongs to the code. */
  readonly reason?: string;
  readonly message?: string;
  /** The header Retry-After and details.retryAfterSeconds. */
  readonly retryAfterSeconds?: number;
  /** "after": the request is carried out, and its answer is lost. */
  readonly when?: "before" | "after";
}

export interface DelayFault {
  readonly milliseconds: Milliseconds;
  /** "after": the request is carried out at once, and its answer is late. */
  readonly when?: "before" | "after";
}

/** reset: a TCP reset; close: in both directions; halfClose: nothing more is sent; hang: nothing more happens. */
export const BREAKS = ["reset", "close", "halfClose", "hang"] as const;
export type Break = (typeof BREAKS)[number];

export interface DisconnectFault {
  readonly how: Break;
  /** Before the request is carried out (the default), after it, or in the middle of the answer's body. */
  readonly when?: "before" | "after" | "midBody";
}

/** expired: an ERROR event with 410; end: as at the end of its time; cut: half of an event, then the connection closes. */
export const WATCH_ENDS = ["expired", "end", "cut", ...BREAKS] as const;

export interface WatchEndFault {
  readonly how: (typeof WATCH_ENDS)[number];
  /** So many events pass before; bookmarks do not count. */
  readonly afterEvents?: number;
  /** Of the ERROR event; left out: "too old resource version: …". */
  readonly message?: string;
}

export const WITHHELD = ["all", "periodic", "initialEventsEnd"] as const;

/** Without resourceVersion or revisions, the state before the newest one. */
export interface StaleReadFault {
  /** So many revisions before the newest one. */
  readonly revisions?: number;
  /** The state at this one. */
  readonly resourceVersion?: string;
  /** Left out: "cached", reads with resourceVersion=0. */
  readonly reads?: "cached" | "all";
}

export interface FaultActions {
  readonly error?: ErrorFault;
  readonly delay?: DelayFault;
  readonly disconnect?: DisconnectFault;
  readonly slow?: { readonly bytesPerSecond: number };
  readonly watchEnd?: WatchEndFault;
  readonly bookmarks?: { readonly withhold: (typeof WITHHELD)[number] };
  /** `share` of the events; left out: all. */
  readonly duplicateEvents?: { readonly share?: number };
  readonly lateEvents?: { readonly milliseconds: Milliseconds };
  readonly staleRead?: StaleReadFault;
  /** 410 for lists that go on with a continue token. */
  readonly expireContinue?: Readonly<Record<string, never>>;
}
export type ActionName = keyof FaultActions;

/** A fault as it is given: it does exactly one thing. */
export interface Fault extends FaultActions {
  /** Left out: the server chooses one. */
  readonly id?: string;
  readonly match?: FaultMatch;
  /** So many matching requests pass before. */
  readonly skip?: number;
  /** It strikes so often, then never again; left out: for ever. */
  readonly count?: number;
  /** Of striking, above 0 and up to 1. */
  readonly probability?: number;
}

/** A fault as the server has it. */
export interface FaultReport {
  readonly id: string;
  readonly fault: Fault;
  /** How many requests it was about until it was spent, struck or not. */
  readonly matched: number;
  readonly fired: number;
  /** Whether it has struck as often as it was to. */
  readonly spent: boolean;
}
