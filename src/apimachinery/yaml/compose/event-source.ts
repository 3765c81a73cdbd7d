// The events of a document in the order of decoding: each alias is replaced by the events of its anchor. go-yaml
// decodes the value again for each alias, with all of its findings, and so does this reader.

import { parseDocumentStart } from "../parse/documents.ts";
import { type Anchored, Parser, type YamlEvent } from "../parse/parser.ts";
import type { SourceText } from "../scan/source-text.ts";
import { yamlError } from "../yaml-error.ts";
import { DecodeFailure } from "./go-value.ts";

// Limits of the part of the decoded nodes that are copies for aliases, so that a few lines cannot expand to a billion
// items.
/** As in go-yaml: fewer copies, and documents of fewer nodes, are not limited. */
const COPIES_MIN = 100;
const NODES_MIN = 1000;
/** Maximum part of copies: nearly all of a small document, little of a large one. */
const PART_FALLS = { from: 400_000, to: 4_000_000, high: 0.99, low: 0.1 };
/** Limit of the letters in copies; go-yaml has none, and ends when memory is exhausted. */
const LETTERS_MAX = 32_000_000;

/** Recorded events that come before the next event of the parser. */
interface Repeated {
  readonly events: readonly YamlEvent[];
  next: number;
  readonly end: number;
  readonly isCopy: boolean;
}

export class EventSource {
  readonly #parser: Parser;
  /** A text without a star has no aliases, so nothing is recorded. */
  readonly #mayHaveAliases: boolean;
  readonly #anchors = new Map<string, Anchored>();
  /** The recorded events of all anchored nodes. */
  readonly #kept: YamlEvent[] = [];
  /** The current level of the parser, and the open anchored nodes by level. */
  #level = 0;
  readonly #open: { readonly anchored: Anchored; readonly level: number }[] = [];
  readonly #repeated: Repeated[] = [];
  /** Number of aliases that are being expanded. */
  #copying = 0;
  /** Whether the last event came from an alias. */
  #isCopy = false;
  /** In this document: the number of decoded nodes, and how many of them came from aliases. */
  #nodes = 0;
  #copies = 0;
  #letters = 0;

  constructor(source: SourceText) {
    this.#parser = new Parser(source, parseDocumentStart);
    this.#mayHaveAliases = source.text.includes("*");
  }

  /** Returns "document-start" or "stream-end". Drops the anchors of the document before. */
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

  /** Inserts the events of an anchor. */
  copy(start: number, end: number): void {
    this.#repeated.push({ events: this.#kept, next: start, end, isCopy: true });
    this.#copying++;
  }

  /** Consumes the items of the list that has just begun and returns them in reverse order. Returns their number. */
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

  /** Counts the last event as a node with a text of so many letters. Throws DecodeFailure. */
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

  /** Reads the rest of the document to find its syntax errors. */
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
