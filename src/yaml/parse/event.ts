// What a text says, without how it is written.

export type EventType =
  | "scalar"
  | "alias"
  | "sequence-start"
  | "sequence-end"
  | "mapping-start"
  | "mapping-end"
  | "document-start"
  | "document-end"
  | "stream-end";

export interface YamlEvent {
  readonly type: EventType;
  /** Where it begins, from 0. */
  readonly line: number;
  /** Of a scalar; the name of an alias. */
  readonly value: string;
  /** In full; "" where there is none. */
  readonly tag: string;
  /** "" where there is none. */
  readonly anchor: string;
  /** Of a scalar: what it is has to be seen from its text. */
  readonly isImplicit: boolean;
  /** Of an alias. */
  target: Anchored | undefined;
}

export const eventOf = (
  type: EventType,
  line: number,
  value = "",
  tag = "",
  anchor = "",
  isImplicit = false,
): YamlEvent => ({ type, line, value, tag, anchor, isImplicit, target: undefined });

/** What an anchor names: a part of the events that were kept. */
export interface Anchored {
  readonly isMapping: boolean;
  readonly start: number;
  /** Behind its last one; undefined while it is being read. */
  end: number | undefined;
}

/** A value that is left out. */
export const emptyScalar = (line: number): YamlEvent => eventOf("scalar", line, "", "", "", true);
