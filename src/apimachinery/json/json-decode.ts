// A strict JSON decoder that keeps what JSON.parse loses: every digit of an int64 (bigint beyond 2^53) and the names of
// duplicate keys (the last value wins). Errors are worded as those of Go's encoding/json. The decoder has a stack of
// its own, so deep input cannot overflow the engine's stack, and long texts can be decoded with yields.

import { trimmed } from "../meta/lists.ts";
import { LEVELS_OF_ANY_STACK, levelsMax } from "../meta/max-nesting-depth.ts";
import { yieldIfDue } from "../scheduling/event-loop.ts";
import { type JsonObject, setOwn } from "./json.ts";
import { bigNumber, cachedKey, ESCAPES, KeyNotes, quoteByte } from "./json-words.ts";
import { NumberSpellings, tooGreatForDouble } from "./spelled-number.ts";

export interface DecodedJson {
  readonly value: unknown;
  /** Dotted paths of duplicate keys, as a strict decoder names them: "spec.egressIPs", "spec.ports[0].port". */
  readonly duplicates: string[];
  /** With keepsNumbers: some numbers keep their spelling, see spelled-number.ts. */
  readonly isSpelled?: boolean;
  /** The first kept number that exceeds a double. */
  readonly tooGreat?: string | undefined;
}

/** The text is no JSON, or contains a number that exceeds a double. */
export class JsonSyntaxError extends Error {
  override readonly name = "JsonSyntaxError";
}

/** From this length on the result takes so much memory that it is worth some time to reduce it. */
const LONG_TEXT = 128 * 1024;
/** Values per slice, before the time is checked. */
const VALUES_OF_SLICE = 512;

/**
 * Decodes one JSON text; throws JsonSyntaxError. Nesting beyond depthMax is accepted as far as the stack of this
 * process allows. `keepsNumbers`: numbers keep their spelling.
 */
export function decodeJson(
  text: string | Uint8Array,
  { depthMax = LEVELS_OF_ANY_STACK, keepsNumbers = false } = {},
): DecodedJson {
  const options = { depthMax, keepsNumbers };
  try {
    return new JsonReader(typeof text === "string" ? text : bufferOf(text).toString("utf8"), options).read();
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    // A Go decoder reads bytes: its errors name the first byte of a character, and bytes that are no valid UTF-8.
    new JsonReader(bufferOf(text).toString("latin1"), options).read();
    throw error;
  }
}

/** As decodeJson, but yields to the event loop: for long texts. */
export async function decodeJsonInTurns(
  text: Uint8Array,
  { keepsNumbers = false } = {},
): Promise<DecodedJson> {
  try {
    return await readInTurns(bufferOf(text).toString("utf8"), keepsNumbers);
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    await readInTurns(bufferOf(text).toString("latin1"), keepsNumbers); // as above
    throw error;
  }
}

async function readInTurns(text: string, keepsNumbers: boolean): Promise<DecodedJson> {
  const reader = new JsonReader(text, { depthMax: LEVELS_OF_ANY_STACK, keepsNumbers });
  while (!reader.goOn(VALUES_OF_SLICE)) {
    const pause = yieldIfDue();
    if (pause) await pause;
  }
  return reader.finish();
}

function bufferOf(text: string | Uint8Array): Buffer {
  return typeof text === "string"
    ? Buffer.from(text)
    : Buffer.from(text.buffer, text.byteOffset, text.byteLength);
}

/** Longer keys are not cached: they rarely repeat. */
const KEY_LENGTH_MAX = 48;
const NO_CODE = -1;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;

class JsonReader {
  readonly #text: string;
  readonly #isLong: boolean;
  #depthMax: number;
  #at = 0;
  /** The open containers around the current one, and the key or index at which each continues. */
  readonly #parents: (JsonObject | unknown[])[] = [];
  readonly #parentSteps: (string | number)[] = [];
  #container: JsonObject | unknown[] | undefined;
  /** The last value read. */
  #value: unknown = NOTHING;
  #step: string | number = 0;
  readonly #notes = new KeyNotes();
  readonly #numbers: NumberSpellings;

  constructor(text: string, options: { readonly depthMax: number; readonly keepsNumbers: boolean }) {
    this.#text = text;
    this.#isLong = text.length > LONG_TEXT;
    this.#depthMax = options.depthMax;
    this.#numbers = new NumberSpellings(options.keepsNumbers);
  }

  read(): DecodedJson {
    this.goOn(Number.POSITIVE_INFINITY);
    return this.finish();
  }

  /** Decodes so many more values; false: the text has more. */
  goOn(count: number): boolean {
    let value = this.#value;
    if (value === NOTHING) value = this.#begin(this.#skipSpace(), "looking for beginning of value");
    for (let left = count; left > 0; left--) {
      if (value === OPENED) value = this.#firstMember();
      else if (this.#container !== undefined) value = this.#nextMember(value);
      else {
        this.#value = value;
        return true;
      }
    }
    this.#value = value;
    return false;
  }

  /** Returns the result, once the text has ended. */
  finish(): DecodedJson {
    const rest = this.#skipSpace();
    if (rest !== NO_CODE) throw this.#unexpected("after top-level value");
    const { any, tooGreat, lost } = this.#numbers;
    if (lost !== undefined) throw new JsonSyntaxError(tooGreatForDouble(lost));
    const read = { value: this.#value, duplicates: this.#notes.duplicates };
    return any ? { ...read, isSpelled: true, tooGreat } : read;
  }

  /** Reads a scalar, or opens a container and returns OPENED. */
  #begin(code: number, expectation: string): unknown {
    if (code === QUOTE) return this.#string();
    if (code === 0x7b) return this.#open({});
    if (code === 0x5b) return this.#open([]);
    if (code === 0x2d || (code >= 0x30 && code <= 0x39)) return this.#number(code);
    if (code === 0x74) return this.#literal("true", true);
    if (code === 0x66) return this.#literal("false", false);
    if (code === 0x6e) return this.#literal("null", null);
    throw this.#unexpected(expectation);
  }

  /** Computes the limit of this process only for texts that need it. */
  #goDeeper(): void {
    this.#depthMax = Math.max(this.#depthMax, levelsMax());
    if (this.#parents.length + 1 >= this.#depthMax) throw this.#unexpected("exceeded max depth");
  }

  #open(container: JsonObject | unknown[]): typeof OPENED {
    if (this.#container !== undefined) {
      if (this.#parents.length + 1 >= this.#depthMax) this.#goDeeper();
      this.#parents.push(this.#container);
      this.#parentSteps.push(this.#step);
      if (this.#isLong) this.#notes.open();
    }
    this.#at++;
    this.#container = container;
    return OPENED;
  }

  /** After "{" or "[": the first member, or the end. */
  #firstMember(): unknown {
    const code = this.#skipSpace();
    if (Array.isArray(this.#container)) {
      if (code === 0x5d) return this.#close();
      this.#step = 0;
      return this.#begin(code, "looking for beginning of value");
    }
    return code === 0x7d ? this.#close() : this.#member(code);
  }

  /** Stores the value in its container and continues behind it. */
  #nextMember(value: unknown): unknown {
    const container = this.#container;
    if (Array.isArray(container)) {
      container.push(value);
      const code = this.#skipSpace();
      if (code === 0x5d) return this.#close();
      if (code !== 0x2c) throw this.#unexpected("after array element");
      this.#at++;
      this.#step = container.length;
      return this.#begin(this.#skipSpace(), "looking for beginning of value");
    }
    const key = this.#step as string; // the step of an object is its key
    if (key === "__proto__") setOwn(container as JsonObject, key, value);
    else (container as JsonObject)[key] = value; // neither absent nor an array: see read
    const code = this.#skipSpace();
    if (code === 0x7d) return this.#close();
    if (code !== 0x2c) throw this.#unexpected("after object key:value pair");
    this.#at++;
    return this.#member(this.#skipSpace());
  }

  #member(code: number): unknown {
    if (code !== QUOTE) throw this.#unexpected("looking for beginning of object key string");
    const key = this.#key();
    const container = this.#container as JsonObject; // only called within an object
    if (container[key] !== undefined && Object.hasOwn(container, key))
      this.#notes.addDuplicate(this.#parentSteps, key);
    else if (this.#isLong) this.#notes.add(container, key);
    if (this.#skipSpace() !== 0x3a) throw this.#unexpected("after object key");
    this.#at++;
    this.#step = key;
    return this.#begin(this.#skipSpace(), "looking for beginning of value");
  }

  #close(): JsonObject | unknown[] {
    const open = this.#container ?? []; // never absent: a container is open
    const closed = this.#isLong && Array.isArray(open) ? trimmed(open) : open;
    this.#at++;
    this.#container = this.#parents.pop();
    this.#step = this.#parentSteps.pop() ?? 0;
    if (this.#isLong) this.#notes.close();
    return closed;
  }

  /** The code of the next non-blank character, without consuming it; NO_CODE at the end. */
  #skipSpace(): number {
    const text = this.#text;
    let at = this.#at;
    for (; at < text.length; at++) {
      const code = text.charCodeAt(at);
      if (code > 0x20 || (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09)) {
        this.#at = at;
        return code;
      }
    }
    this.#at = at;
    return NO_CODE;
  }

  #key(): string {
    const text = this.#text;
    const start = this.#at + 1;
    let hash = 0;
    for (let at = start; at < text.length; at++) {
      const code = text.charCodeAt(at);
      if (code === QUOTE) {
        if (at - start > KEY_LENGTH_MAX) break;
        this.#at = at + 1;
        return cachedKey(text, start, at, hash);
      }
      if (code === BACKSLASH || code < 0x20 || code >= 0xd800) break;
      hash = (hash * 31 + code) | 0;
    }
    return this.#string();
  }

  #string(): string {
    const text = this.#text;
    const start = this.#at + 1;
    for (let at = start; at < text.length; at++) {
      const code = text.charCodeAt(at);
      if (code === QUOTE) {
        this.#at = at + 1;
        return text.slice(start, at);
      }
      if (code === BACKSLASH) return this.#escapedString(start, at);
      if (code < 0x20) {
        this.#at = at;
        throw this.#unexpected("in string literal");
      }
    }
    throw endOfInput();
  }

  /** The rest of a string from its first escape on. Unpaired surrogates become U+FFFD. */
  #escapedString(start: number, firstEscape: number): string {
    const text = this.#text;
    let out = text.slice(start, firstEscape);
    let from = firstEscape;
    let at = firstEscape;
    while (at < text.length) {
      const code = text.charCodeAt(at);
      if (code === QUOTE) {
        this.#at = at + 1;
        return (out + text.slice(from, at)).toWellFormed();
      }
      if (code < 0x20) {
        this.#at = at;
        throw this.#unexpected("in string literal");
      }
      if (code !== BACKSLASH) {
        at++;
        continue;
      }
      out += text.slice(from, at);
      this.#at = at + 1;
      out += this.#escape();
      at = this.#at;
      from = at;
    }
    throw endOfInput();
  }

  #escape(): string {
    const letter = this.#text[this.#at];
    if (letter === "u") return this.#unicodeEscape();
    const meant = letter === undefined ? undefined : ESCAPES[letter];
    if (meant === undefined) throw this.#unexpected("in string escape code");
    this.#at++;
    return meant;
  }

  #unicodeEscape(): string {
    let code = 0;
    for (let digit = 0; digit < 4; digit++) {
      this.#at++;
      const letter = this.#text[this.#at];
      const value = letter === undefined ? -1 : "0123456789abcdef".indexOf(letter.toLowerCase());
      if (value < 0) throw this.#unexpected("in \\u hexadecimal character escape");
      code = code * 16 + value;
    }
    this.#at++;
    return String.fromCharCode(code);
  }

  #literal(word: string, value: boolean | null): boolean | null {
    for (let index = 1; index < word.length; index++) {
      this.#at++;
      if (this.#text[this.#at] !== word[index]) {
        throw this.#unexpected(`in literal ${word} (expecting '${word[index]}')`);
      }
    }
    this.#at++;
    return value;
  }

  #number(first: number): number | bigint | symbol {
    const text = this.#text;
    const start = this.#at;
    let at = first === 0x2d ? start + 1 : start;
    const digits = at;
    let value = 0;
    let code = text.charCodeAt(at);
    while (code >= 0x30 && code <= 0x39) {
      value = value * 10 + (code - 0x30);
      code = text.charCodeAt(++at);
      if (value === 0) break; // nothing follows a leading zero
    }
    this.#at = at;
    if (at === digits) throw this.#unexpected("in numeric literal");
    if (code === 0x2e || code === 0x65 || code === 0x45) return this.#fraction(start);
    if (at - digits <= 15) return first === 0x2d && value !== 0 ? -value : value;
    const literal = text.slice(start, at);
    return this.#numbers.read(bigNumber(literal), literal);
  }

  #fraction(start: number): number | bigint | symbol {
    if (this.#text.charCodeAt(this.#at) === 0x2e) {
      this.#at++;
      this.#digits("after decimal point in numeric literal");
    }
    const exponent = this.#text[this.#at];
    if (exponent === "e" || exponent === "E") {
      this.#at++;
      const sign = this.#text[this.#at];
      if (sign === "+" || sign === "-") this.#at++;
      this.#digits("in exponent of numeric literal");
    }
    const literal = this.#text.slice(start, this.#at);
    return this.#numbers.read(Number(literal) || 0, literal); // no negative zero
  }

  #digits(expectation: string): void {
    const start = this.#at;
    for (let code = this.#text.charCodeAt(this.#at); code >= 0x30 && code <= 0x39; ) {
      code = this.#text.charCodeAt(++this.#at);
    }
    if (this.#at === start) throw this.#unexpected(expectation);
  }

  #unexpected(context: string): JsonSyntaxError {
    const given = this.#text.charCodeAt(this.#at);
    if (Number.isNaN(given) && !WITHIN_VALUE.test(context)) return endOfInput();
    const code = Number.isNaN(given) ? SPACE : given;
    return new JsonSyntaxError(`invalid character ${quoteByte(code)} ${context}`);
  }
}

/** Go's scanner reads a space at the end of the input, which is valid between values only. */
const SPACE = 0x20;
const WITHIN_VALUE = /^in |^after decimal point/;

/** Marker among decoded values: a container was opened. */
const OPENED = Symbol("opened");
/** Marker: nothing has been read yet. */
const NOTHING = Symbol("nothing");

const endOfInput = (): JsonSyntaxError => new JsonSyntaxError("unexpected end of JSON input");
