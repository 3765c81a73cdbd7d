// Messages from the feed, which holds the watches, to the views. They travel over a port of a shared worker or within one
// tab.
import type { PastAnswer } from "./past.ts";
import type { Change, Kind } from "./records.ts";

/** State of the connection to the server. */
export type Link =
  | { readonly state: "loading"; readonly missing: readonly Kind[] }
  | { readonly state: "live" }
  /** The model shows the state as of sinceMs. An againAtMs in the past means that a retry is in progress. */
  | { readonly state: "lost"; readonly sinceMs: number; readonly againAtMs: number }
  | { readonly state: "login" };

/** Status with which the server rejects the list or watch of a kind. */
export interface Refusal {
  readonly kind: Kind;
  readonly code: number;
  readonly message: string;
}

export interface FeedMessage {
  /** True: drop all earlier state. This message and those that follow hold the complete state. */
  readonly isAnew: boolean;
  readonly changes: readonly Change[];
  /** The messages so far contain all changes up to this revision. */
  readonly revision: number;
  readonly link: Link;
  readonly refused: readonly Refusal[];
}

export interface Feed {
  /** Starts the stream of messages; the returned function stops it. */
  follow(onMessage: (message: FeedMessage) => void): () => void;
  /** Retries failed requests at once, without waiting for the backoff. */
  again(): void;
  /**
   * Returns the changes that turn the state at revision `from` into that at `revision`. Infinity: the state delivered
   * when the answer arrives.
   */
  past(revision: number, from: number): Promise<PastAnswer>;
}
