// Tokens to events. A state reads what stands there, answers one event and says which state comes next; states that wait
// for what they began are on a stack, so that no depth of a text overflows that of the engine.
import { Scanner } from "../scan/scanner.ts";
import type { SourceText } from "../scan/source-text.ts";
import type { Token } from "../scan/token.ts";
import { type YamlSyntaxError, yamlErrorAt } from "../yaml-error.ts";
import type { YamlEvent } from "./event.ts";

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
