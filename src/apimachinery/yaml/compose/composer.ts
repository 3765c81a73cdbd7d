// Composes events to one value, in go-yaml's order of decoding. The value of an alias is decoded again, and a merge
// inserts its keys at its position. Of several values of a key the last one counts. Levels are on a stack of their own,
// so that no nesting overflows the engine's.

import { trimmed } from "../../meta/lists.ts";
import { LEVELS_OF_ANY_STACK, levelsMax } from "../../meta/max-nesting-depth.ts";
import type { YamlEvent } from "../parse/parser.ts";
import type { EventSource } from "./event-source.ts";
import {
  DecodeFailure,
  GoMap,
  type GoScalar,
  goSyntax,
  isNoJsonKey,
  jsonScalar,
  MERGE_TAG,
  scalarOf,
  unsupportedKey,
} from "./go-value.ts";

/** Limit of the reported duplicate keys; a body of 3 MB can have a million of them. */
const DUPLICATES_MAX = 1000;
const MERGE_KEY = "<<";

/** A list or a mapping that is being composed. */
class Frame {
  readonly items: unknown[] | undefined;
  readonly map: GoMap | undefined;
  /** The line where it begins, or of the alias that refers to it. */
  readonly line: number;
  readonly level: number;
  /** Its keys are added to the map of the enclosing frame. */
  readonly isMerged: boolean;
  /** The next expected part of a mapping; behind a merge key, one mapping or a list of them. */
  awaits: "key" | "value" | "merge" | "listed merge" = "key";
  key: GoScalar = null;
  /** Number of mappings in a list that are still to be merged. */
  merges = 0;

  constructor(content: unknown[] | GoMap, line: number, level: number, isMerged = false) {
    this.items = content instanceof GoMap ? undefined : content;
    this.map = content instanceof GoMap ? content : undefined;
    this.line = line;
    this.level = level;
    this.isMerged = isMerged;
  }
}

export class Composer {
  readonly #source: EventSource;
  readonly #frames: Frame[] = [];
  #top: Frame | undefined;
  /** The line of the alias whose events come next. */
  #aliasLine: number | undefined;

  value: unknown = null;
  /** In go-yaml's words: `line 6: key "a" already set in map`. */
  readonly duplicates: string[] = [];
  /** Why the value has no JSON equivalent. */
  unsupported: string | undefined;
  /** The value may contain a number that JSON does not have. */
  hasNoNumber = false;
  /** The JSON bracket at which the nesting is too deep. */
  tooDeepAt: "{" | "[" | undefined;

  constructor(source: EventSource) {
    this.#source = source;
  }

  /** Composes one document; false: there is none. Throws YamlSyntaxError; DecodeFailure only if the syntax is valid. */
  compose(): boolean {
    const { type } = this.#source.beginDocument();
    if (type === "stream-end") return false;
    this.#source.count();
    try {
      while (this.#take(this.#source.next()));
    } catch (error) {
      if (error instanceof DecodeFailure) this.#source.drain();
      throw error;
    }
    return true;
  }

  /** Whether the document continues. */
  #take(event: YamlEvent): boolean {
    switch (event.type) {
      case "scalar":
        this.#takeScalar(event);
        return true;
      case "alias":
        this.#takeAlias(event);
        return true;
      case "sequence-start":
        this.#beginList(event);
        return true;
      case "mapping-start":
        this.#beginMapping(event);
        return true;
      case "sequence-end":
      case "mapping-end":
        this.#end();
        return true;
      default:
        return false;
    }
  }

  #takeScalar(event: YamlEvent): void {
    const top = this.#top;
    const isNamed = this.#aliasLine === undefined;
    const line = this.#takeLine(event);
    if (isNamed && top?.map !== undefined && top.awaits === "key" && isMergeKey(event)) {
      top.awaits = "merge";
      return;
    }
    if (awaitsMerge(top)) throw noMerge();
    this.#source.count(event.value.length);
    const scalar = scalarOf(event);
    if (top?.map !== undefined && top.awaits === "key") {
      top.key = scalar;
      top.awaits = "value";
    } else this.#put(this.#jsonOf(scalar), line);
  }

  #takeAlias({ value: name, target, line }: YamlEvent): void {
    if (target === undefined) throw new Error("the source finds what an alias names");
    if (awaitsMerge(this.#top) && !target.isMapping) throw noMerge();
    this.#source.count();
    if (target.end === undefined) throw new DecodeFailure(`anchor '${name}' value contains itself`);
    this.#source.copy(target.start, target.end);
    this.#aliasLine = line;
  }

  #beginList(event: YamlEvent): void {
    const line = this.#takeLine(event);
    const top = this.#top;
    if (top?.awaits === "merge") {
      // Of several mappings the first one takes precedence, so it is merged last.
      top.merges = this.#source.reverse();
      top.awaits = top.merges === 0 ? "key" : "listed merge";
      return;
    }
    if (awaitsMerge(top)) throw noMerge();
    this.#source.count();
    this.#push(new Frame([], line, this.#nextLevel("[")));
  }

  #beginMapping(event: YamlEvent): void {
    const line = this.#takeLine(event);
    const top = this.#top;
    this.#source.count();
    if (top?.map === undefined || !awaitsMerge(top)) {
      this.#push(new Frame(new GoMap(), line, this.#nextLevel("{")));
      return;
    }
    if (top.awaits === "listed merge") top.merges--;
    if (top.merges === 0) top.awaits = "key";
    this.#push(new Frame(top.map, line, top.level, true));
  }

  #end(): void {
    const ended = this.#frames.pop();
    this.#top = this.#frames.at(-1);
    if (ended === undefined || ended.isMerged) return;
    this.#put(ended.items === undefined ? ended.map?.members : trimmed(ended.items), ended.line);
  }

  #put(value: unknown, line: number): void {
    const top = this.#top;
    if (top === undefined) this.value = value;
    else if (top.map === undefined) top.items?.push(value);
    else if (top.awaits === "value") this.#putMember(top, top.map, value, line);
    else throw new DecodeFailure(`invalid map key: ${goSyntax(value)}`);
  }

  #putMember(top: Frame, map: GoMap, value: unknown, line: number): void {
    const { key } = top;
    if (map.has(key)) this.#noteDuplicate(key, line);
    if (isNoJsonKey(key)) this.unsupported ??= unsupportedKey(key, value);
    map.set(key, value);
    top.awaits = "key";
  }

  #noteDuplicate(key: GoScalar, line: number): void {
    if (this.duplicates.length >= DUPLICATES_MAX) return;
    this.duplicates.push(`line ${line + 1}: key ${goSyntax(key)} already set in map`);
  }

  #jsonOf(scalar: GoScalar): unknown {
    const value = jsonScalar(scalar);
    if (typeof value === "number" && !Number.isFinite(value)) this.hasNoNumber = true;
    return value;
  }

  #push(frame: Frame): void {
    this.#frames.push(frame);
    this.#top = frame;
  }

  #nextLevel(bracket: "{" | "["): number {
    const level = (this.#top?.level ?? 0) + 1;
    if (level > LEVELS_OF_ANY_STACK && level > levelsMax()) this.tooDeepAt ??= bracket;
    return level;
  }

  /** The line of the alias whose events come next, or else of the event. */
  #takeLine({ line }: YamlEvent): number {
    const own = this.#aliasLine ?? line;
    this.#aliasLine = undefined;
    return own;
  }
}

const awaitsMerge = (frame: Frame | undefined): boolean =>
  frame?.awaits === "merge" || frame?.awaits === "listed merge";

const isMergeKey = ({ value, isImplicit, tag }: YamlEvent): boolean =>
  value === MERGE_KEY && (isImplicit || tag === MERGE_TAG);

const noMerge = (): DecodeFailure =>
  new DecodeFailure("map merge requires map or sequence of maps as the value");
