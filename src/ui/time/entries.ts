// Entries of the timeline: changes, decisions, Events and requests. Pure.
import type { ObjectRef } from "../frame/kinds.ts";
import type { Move } from "../map/moves.ts";

/** Lanes from top to bottom, by the source of an entry. */
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

/** In order of precedence, for several entries at one position. */
export const ENTRY_MARKS: readonly EntryMark[] = ["bad", "move", "wait", "ok", "plain"];
export const ENTRY_SIGNS: Readonly<Record<EntryMark, string>> = {
  ...{ bad: "✕", move: "⇄", wait: "!", ok: "✓", plain: "·" },
};

export interface Entry {
  readonly key: string;
  readonly lane: Lane;
  /** The revision that the change created; undefined for entries that change nothing. */
  readonly revision: number | undefined;
  /** Milliseconds since the epoch by the server's clock; undefined: no source states a time. */
  readonly toldMs: number | undefined;
  /** False for times of objects, which have whole seconds. */
  readonly isExact: boolean;
  readonly mark: EntryMark;
  readonly text: string;
  /** The field manager, client or component that caused it; "" if unknown. */
  readonly by: string;
  readonly of: ObjectRef | undefined;
  /** Assignment of an address to another node. */
  readonly move?: Pick<Move, "egressIp" | "address" | "from" | "to"> | undefined;
}

/** An entry with its position on the timeline. */
export interface Placed extends Entry {
  readonly atMs: number;
  /** The revision of the state that contains it. */
  readonly at: number;
}
