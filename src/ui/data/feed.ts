// What the part that watches tells the part that shows, over a port of a shared worker or in the same tab.
import type { PastAnswer } from "./past.ts";
import type { Change, Kind } from "./records.ts";

/** How it stands with the server. */
export type Link =
  | { readonly state: "loading"; readonly missing: readonly Kind[] }
  | { readonly state: "live" }
  /** What is shown is as old as since then. An againAtMs that is over: it is being tried. */
  | { readonly state: "lost"; readonly sinceMs: number; readonly againAtMs: number }
  | { readonly state: "login" };

/** Why a kind cannot be seen: the Status of the server. */
export interface Refusal {
  readonly kind: Kind;
  readonly code: number;
  readonly message: string;
}

export interface FeedMessage {
  /** True: forget all that was told before; there is what this message and those after it say. */
  readonly isAnew: boolean;
  readonly changes: readonly Change[];
  /** The newest revision up to which all is told. */
  readonly revision: number;
  readonly link: Link;
  readonly refused: readonly Refusal[];
}

/** Where messages come from. */
export interface Feed {
  /** Calling the answer ends it. */
  follow(onMessage: (message: FeedMessage) => void): () => void;
  /** Somebody does not want to wait: what has failed is tried at once. */
  again(): void;
  /** What makes the state at the revision `from` that at another; Infinity is what was told when the answer comes. */
  past(revision: number, from: number): Promise<PastAnswer>;
}
