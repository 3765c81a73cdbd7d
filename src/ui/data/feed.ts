// What the part that watches tells the part that shows, over a port of a shared worker or in the same tab.
import type { Change, Kind } from "./records.ts";

/** How it stands with the server. */
export type Link =
  | { readonly state: "loading"; readonly missing: readonly Kind[] }
  | { readonly state: "live" }
  | { readonly state: "lost"; readonly sinceMs: number; readonly againAtMs: number }
  | { readonly state: "login" };

/** Why a kind cannot be seen: the Status of the server. */
export interface Refusal {
  readonly kind: Kind;
  readonly code: number;
  readonly message: string;
}

export interface FeedMessage {
  /** True: forget all that was told before, these are all objects there are. */
  readonly isAnew: boolean;
  readonly changes: readonly Change[];
  /** The newest revision that has been seen. */
  readonly revision: number;
  readonly link: Link;
  readonly refused: readonly Refusal[];
}

/** Where messages come from. Calling the answer ends it. */
export type Feed = (onMessage: (message: FeedMessage) => void) => () => void;
