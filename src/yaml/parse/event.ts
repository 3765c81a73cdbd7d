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

export class YamlEvent {
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
  target: Anchored | undefined = undefined;

  constructor(type: EventType, line: number, value = "", tag = "", anchor = "", isImplicit = false) {
    this.type = type;
    this.line = line;
    this.value = value;
    this.tag = tag;
    this.anchor = anchor;
    this.isImplicit = isImplicit;
  }
}

/** What an anchor names: a part of the events that were kept. */
export interface Anchored {
  readonly isMapping: boolean;
  readonly start: number;
  /** Behind its last one; undefined while it is being read. */
  end: number | undefined;
}

/** A value that is left out. */
export const emptyScalar = (line: number): YamlEvent => new YamlEvent("scalar", line, "", "", "", true);
