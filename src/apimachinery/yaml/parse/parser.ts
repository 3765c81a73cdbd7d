// Parses tokens to events. A state reads the next token, returns one event and sets the next state. States of enclosing
// nodes wait on a stack, so that no nesting overflows the engine's.
import { Scanner } from "../scan/scanner.ts";
import type { SourceText } from "../scan/source-text.ts";
import type { Token } from "../scan/token.ts";
import { type YamlSyntaxError, yamlErrorAt } from "../yaml-error.ts";

export type State = (parser: Parser) => YamlEvent;

export class Parser {
  readonly #scanner: Scanner;
  readonly #start: State;
  #state: State;
  readonly #waiting: State[] = [];
  /** Prefixes of the tag handles in this document. */
  readonly handles = new Map<string, string>();

  constructor(source: SourceText, start: State) {
    this.#scanner = new Scanner(source);
    this.#start = start;
    this.#state = start;
  }

  /** The last event is "stream-end". Throws YamlSyntaxError. */
  next(): YamlEvent {
    return this.#state(this);
  }

  peek(): Token {
    return this.#scanner.peek();
  }

  /** Consumes the peeked token, and peeks at the next. */
  advance(): Token {
    this.#scanner.skip();
    return this.#scanner.peek();
  }

  /** Consumes the peeked token. */
  skip(): void {
    this.#scanner.skip();
  }

  /** Sets the next state and returns the event. */
  enter(state: State, event: YamlEvent): YamlEvent {
    this.#state = state;
    return event;
  }

  /** Pushes the state that follows the node that begins now. */
  wait(state: State): void {
    this.#waiting.push(state);
  }

  /** Pops the next state and returns the event. */
  leave(event: YamlEvent): YamlEvent {
    this.#state = this.#waiting.pop() ?? this.#start;
    return event;
  }
}

/** The error of a parser names the line before the token, as in go-yaml. */
export const errorAt = ({ line }: Token, problem: string): YamlSyntaxError => yamlErrorAt(line, problem);

// Kinds of events, independent of the style of the text.

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
  /** The line where it begins, from 0. */
  readonly line: number;
  /** The text of a scalar; the name of an alias. */
  readonly value: string;
  /** The full tag; "" if there is none. */
  readonly tag: string;
  /** "" if there is none. */
  readonly anchor: string;
  /** For a scalar: its type is resolved from its text. */
  readonly isImplicit: boolean;
  /** The node of an alias. */
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

/** The node of an anchor: a range of the recorded events. */
export interface Anchored {
  readonly isMapping: boolean;
  readonly start: number;
  /** End index; undefined while it is being read. */
  end: number | undefined;
}

/** A value that is left out. */
export const emptyScalar = (line: number): YamlEvent => eventOf("scalar", line, "", "", "", true);
