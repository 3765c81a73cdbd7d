// Events to one value, in the order in which go-yaml decodes: what an alias names is decoded again, a merge puts its keys
// where it stands, and the last one of several values of a key counts. The levels of the text are on a stack of its own.
import { LEVELS_OF_ANY_STACK, levelsMax } from "../../meta/levels.ts";
import { trimmed } from "../../meta/lists.ts";
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

/** So many keys that are given twice are told; a body of 3 MB can have a million of them. */
const DUPLICATES_MAX = 1000;
const MERGE_KEY = "<<";

/** A list or a mapping that is being read. */
class Frame {
  readonly items: unknown[] | undefined;
  readonly map: GoMap | undefined;
  /** Where it begins, or the alias for which it comes. */
  readonly line: number;
  readonly level: number;
  /** Its map is that of the frame around it. */
  readonly isMerged: boolean;
  /** What a mapping waits for; behind a merge key, one mapping or a list of them. */
  awaits: "key" | "value" | "merge" | "listed merge" = "key";
  key: GoScalar = null;
  /** How many mappings of a list are still to be merged. */
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
  /** Of the alias for which the next event comes. */
  #aliasLine: number | undefined;

  value: unknown = null;
  /** As go-yaml words them: `line 6: key "a" already set in map`. */
  readonly duplicates: string[] = [];
  /** Why JSON cannot have the value. */
  unsupported: string | undefined;
  /** There may be a number in the value that JSON does not have. */
  hasNoNumber = false;
  /** The bracket that JSON has where there are too many levels. */
  tooDeepAt: "{" | "[" | undefined;

  constructor(source: EventSource) {
    this.#source = source;
  }

  /** Reads one document; false: there is none. Throws YamlSyntaxError, and DecodeFailure when nothing else is wrong in it. */
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

  /** Whether there is more of the document. */
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
      // Of several mappings the first one counts, so it is merged last.
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

  /** Where the alias stands for which the event comes, or the event. */
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
