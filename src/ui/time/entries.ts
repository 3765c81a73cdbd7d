// What stands on the line of time: one entry for each thing that happened. Pure.
import type { ObjectRef } from "../frame/kinds.ts";
import type { Move } from "../map/moves.ts";

/** Who tells of it; from top to bottom. */
export const LANES = ["decisions", "egress", "nodes", "others", "events", "requests"] as const;
export type Lane = (typeof LANES)[number];

export const LANE_WORDS: Readonly<Record<Lane, string>> = {
  decisions: "Decisions",
  egress: "Egress objects",
  nodes: "Nodes",
  others: "Pods, namespaces …",
  events: "Events",
  requests: "Requests",
};

export type EntryMark = "bad" | "wait" | "move" | "ok" | "plain";

/** From the one that is seen first among several. */
export const ENTRY_MARKS: readonly EntryMark[] = ["bad", "move", "wait", "ok", "plain"];
export const ENTRY_SIGNS: Readonly<Record<EntryMark, string>> = {
  ...{ bad: "✕", move: "⇄", wait: "!", ok: "✓", plain: "·" },
};

export interface Entry {
  readonly key: string;
  readonly lane: Lane;
  /** The state that it led to; undefined: it has changed none. */
  readonly revision: number | undefined;
  /** Milliseconds since the epoch by the server's clock; undefined: nothing says it. */
  readonly toldMs: number | undefined;
  /** Times in objects are those of whole seconds. */
  readonly isExact: boolean;
  readonly mark: EntryMark;
  readonly text: string;
  /** Who did it, as far as it is told. */
  readonly by: string;
  readonly of: ObjectRef | undefined;
  /** An address that is on another node than before. */
  readonly move?: Pick<Move, "egressIp" | "address" | "from" | "to"> | undefined;
}

/** An entry in its place. */
export interface Placed extends Entry {
  readonly atMs: number;
  /** The state in which it stands. */
  readonly at: number;
}
