// The events of a document as they are to be decoded: what an alias stands for comes again in its place. go-yaml decodes
// it as often as it is named, with all that it has to say of it, and so is it done here.

import { parseDocumentStart } from "../parse/documents.ts";
import { type Anchored, Parser, type YamlEvent } from "../parse/parser.ts";
import type { SourceText } from "../scan/source-text.ts";
import { yamlError } from "../yaml-error.ts";
import { DecodeFailure } from "./go-value.ts";

// How much of what is decoded may be copies for aliases, so that a few lines cannot come to a billion items.
/** As in go-yaml: fewer copies, and documents of fewer nodes, are no attack. */
const COPIES_MIN = 100;
const NODES_MIN = 1000;
/** Of a small document nearly all may be copies, of a large one few. */
const PART_FALLS = { from: 400_000, to: 4_000_000, high: 0.99, low: 0.1 };
/** Of the copies of texts; go-yaml has no limit, and ends when there is no more memory. */
const LETTERS_MAX = 32_000_000;

/** Events that are to come before the parser goes on. */
interface Repeated {
  readonly events: readonly YamlEvent[];
  next: number;
  readonly end: number;
  readonly isCopy: boolean;
}

export class EventSource {
  readonly #parser: Parser;
  /** Nothing is kept of a text without a star. */
  readonly #mayHaveAliases: boolean;
  readonly #anchors = new Map<string, Anchored>();
  /** The events of all that has an anchor. */
  readonly #kept: YamlEvent[] = [];
  /** Levels of the parser, and what with an anchor is open on which of them. */
  #level = 0;
  readonly #open: { readonly anchored: Anchored; readonly level: number }[] = [];
  readonly #repeated: Repeated[] = [];
  /** How many aliases there are for which events come. */
  #copying = 0;
  /** Whether the last event came for an alias. */
  #isCopy = false;
  /** Of the document: what was decoded, and what of it for aliases. */
  #nodes = 0;
  #copies = 0;
  #letters = 0;

  constructor(source: SourceText) {
    this.#parser = new Parser(source, parseDocumentStart);
    this.#mayHaveAliases = source.text.includes("*");
  }

  /** "document-start", or "stream-end". What had an anchor before is forgotten. */
  beginDocument(): YamlEvent {
    this.#anchors.clear();
    this.#kept.length = 0;
    [this.#nodes, this.#copies, this.#letters] = [0, 0, 0];
    return this.#parser.next();
  }

  next(): YamlEvent {
    const top = this.#repeated.at(-1);
    this.#isCopy = this.#copying > 0;
    if (top === undefined) return this.#read();
    const event = top.events[top.next];
    top.next++;
    if (top.next >= top.end) {
      this.#repeated.pop();
      if (top.isCopy) this.#copying--;
    }
    return event ?? this.next();
  }

  /** What an anchor names comes next. */
  copy(start: number, end: number): void {
    this.#repeated.push({ events: this.#kept, next: start, end, isCopy: true });
    this.#copying++;
  }

  /** Takes the items of the list that has just begun, to give them again from the last to the first. Answers how many. */
  reverse(): number {
    const events: YamlEvent[] = [];
    const starts: number[] = [];
    for (let level = 0; ; ) {
      const event = this.next();
      const { type } = event;
      if (type === "sequence-end" || type === "mapping-end") level--;
      else if (level === 0) starts.push(events.length);
      if (level < 0) break;
      events.push(event);
      if (type === "sequence-start" || type === "mapping-start") level++;
    }
    starts.forEach((next, index) => {
      this.#repeated.push({ events, next, end: starts[index + 1] ?? events.length, isCopy: false });
    });
    return starts.length;
  }

  /** Counts the event that came last as a node with a text of so many letters. Throws DecodeFailure. */
  count(letters = 0): void {
    this.#nodes++;
    if (this.#isCopy) {
      this.#copies++;
      this.#letters += letters;
    }
    if (this.#copies <= COPIES_MIN || this.#nodes <= NODES_MIN) return;
    const { from, to, high, low } = PART_FALLS;
    const place = Math.min(Math.max((this.#nodes - from) / (to - from), 0), 1);
    if (this.#copies / this.#nodes > high - (high - low) * place || this.#letters > LETTERS_MAX)
      throw new DecodeFailure("document contains excessive aliasing");
  }

  /** Reads the document to its end, for the mistakes in it. */
  drain(): void {
    while (this.#read().type !== "document-end");
  }

  #read(): YamlEvent {
    const event = this.#parser.next();
    if (this.#mayHaveAliases) this.#keep(event);
    return event;
  }

  #keep(event: YamlEvent): void {
    switch (event.type) {
      case "alias":
        event.target = this.#anchors.get(event.value);
        if (event.target === undefined) throw yamlError(`unknown anchor '${event.value}' referenced`);
        break;
      case "scalar":
        if (event.anchor === "") break;
        this.#anchors.set(event.anchor, this.#anchoredAt(false, 1));
        if (this.#open.length === 0) this.#kept.push(event);
        break;
      case "sequence-start":
      case "mapping-start":
        this.#begin(event);
        break;
      case "sequence-end":
      case "mapping-end":
        this.#end(event);
        return;
    }
    if (this.#open.length > 0) this.#kept.push(event);
  }

  #anchoredAt(isMapping: boolean, length?: number): Anchored {
    const start = this.#kept.length;
    return { isMapping, start, end: length === undefined ? undefined : start + length };
  }

  #begin({ type, anchor }: YamlEvent): void {
    this.#level++;
    if (anchor === "") return;
    const anchored = this.#anchoredAt(type === "mapping-start");
    this.#anchors.set(anchor, anchored);
    this.#open.push({ anchored, level: this.#level });
  }

  #end(event: YamlEvent): void {
    if (this.#open.length > 0) this.#kept.push(event);
    const last = this.#open.at(-1);
    if (last?.level === this.#level) {
      last.anchored.end = this.#kept.length;
      this.#open.pop();
    }
    this.#level--;
  }
}
