// Tokens to events. A state reads what stands there, answers one event and says which state comes next; states that wait
// for what they began are on a stack, so that no depth of a text overflows that of the engine.
import { Scanner } from "../scan/scanner.ts";
import type { SourceText } from "../scan/source-text.ts";
import type { Token } from "../scan/token.ts";
import { type YamlSyntaxError, yamlErrorAt } from "../yaml-error.ts";
import { parseDocumentStart } from "./document.ts";
import type { YamlEvent } from "./event.ts";
import { type NodePlace, parseNode } from "./node.ts";

export type State = (parser: Parser) => YamlEvent;

export class Parser {
  readonly #scanner: Scanner;
  #state: State = parseDocumentStart;
  readonly #waiting: State[] = [];
  /** What the handles of tags stand for in this document. */
  readonly handles = new Map<string, string>();

  constructor(source: SourceText) {
    this.#scanner = new Scanner(source);
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

  /** The first event of the node that stands here; the state comes when it is through. */
  node(place: NodePlace, after: State): YamlEvent {
    this.#waiting.push(after);
    return parseNode(this, place);
  }

  /** The event, and the state that waits for it comes next. */
  leave(event: YamlEvent): YamlEvent {
    this.#state = this.#waiting.pop() ?? parseDocumentStart;
    return event;
  }

  /** The complaint of a parser tells the line before the token, as go-yaml does. */
  error(token: Token, problem: string): YamlSyntaxError {
    return yamlErrorAt(token.line, problem);
  }
}
