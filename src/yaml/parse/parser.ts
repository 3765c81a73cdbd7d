// Tokens to events. A state reads what stands there, answers one event and says which state comes next; states that wait
// for what they began are on a stack, so that no depth of a text overflows that of the engine.
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
  /** What the handles of tags stand for in this document. */
  readonly handles = new Map<string, string>();

  constructor(source: SourceText, start: State) {
    this.#scanner = new Scanner(source);
    this.#start = start;
    this.#state = start;
  }

  /** The last one is "stream-end". Throws YamlSyntaxError. */
  next(): YamlEvent {
    return this.#state(this);
  }

  peek(): Token {
    return this.#scanner.peek();
  }

  /** Takes the token that was peeked at, and peeks at the next. */
  advance(): Token {
    this.#scanner.skip();
    return this.#scanner.peek();
  }

  /** Takes the token that was peeked at. */
  skip(): void {
    this.#scanner.skip();
  }

  /** The event, and the state that comes next. */
  enter(state: State, event: YamlEvent): YamlEvent {
    this.#state = state;
    return event;
  }

  /** The state comes when what begins now is through. */
  wait(state: State): void {
    this.#waiting.push(state);
  }

  /** The event, and the state that waits for it comes next. */
  leave(event: YamlEvent): YamlEvent {
    this.#state = this.#waiting.pop() ?? this.#start;
    return event;
  }
}

/** The complaint of a parser tells the line before the token, as go-yaml does. */
export const errorAt = ({ line }: Token, problem: string): YamlSyntaxError => yamlErrorAt(line, problem);

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
