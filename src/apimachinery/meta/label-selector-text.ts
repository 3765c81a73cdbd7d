// The text form of a label selector, "env in (a,b),!x": its tokens and requirements as k8s.io/apimachinery parses them.

import { lookupTable } from "../json/json.ts";
import { describeFieldError, invalid } from "./field-error.ts";
import {
  InvalidSelectorError,
  keyComplaints,
  type LabelOperator,
  type LabelRequirement,
  requirement,
} from "./label-requirement.ts";

/**
 * Limit of the length of a selector. A real server accepts no longer one: it limits headers, the URL included, to 1
 * MiB.
 */
export const SELECTOR_CHARS_MAX = 1024 * 1024;
/**
 * Limit of requirements and values in total: one per eight letters of the longest text. A real server has no such
 * limit.
 */
export const SELECTOR_TERMS_MAX = 131_072;

/** Character codes of =!(),<> */
const SYMBOLS = new Set([..."=!(),<>"].map((letter) => letter.charCodeAt(0)));
const SPACES = new Set([..." \t\r\n"].map((letter) => letter.charCodeAt(0)));
const NUL = 0;
/** Class by character code: 0 a letter of a word, 1 a symbol, 2 a space, 3 the end. */
const CLASSES = Uint8Array.from({ length: 128 }, (_, code) =>
  code === NUL ? 3 : SYMBOLS.has(code) ? 1 : SPACES.has(code) ? 2 : 0,
);
const [SYMBOL, SPACE, STOP] = [1, 2, 3];

const END = "";

const isWord = (token: string): boolean => token !== END && CLASSES[token.charCodeAt(0)] !== SYMBOL;
const startsRequirement = (token: string): boolean => token === "!" || isWord(token);
/** Tokens that end a requirement without a value. */
const endsRequirement = (token: string): boolean => token === END || token === ",";

const OPERATORS: Readonly<Record<string, LabelOperator>> = lookupTable({
  in: "in",
  notin: "notin",
  "=": "=",
  "==": "==",
  "!=": "!=",
  ">": "gt",
  "<": "lt",
});

const notExpected = (token: string, expected: string): InvalidSelectorError =>
  new InvalidSelectorError(`found '${token}', expected: ${expected}`);

export class SelectorParser {
  readonly #text: string;
  #at = 0;
  /** The next token. A word counts as a keyword only where an operator is expected. */
  #token: string;
  #terms = 0;

  /** Throws InvalidSelectorError for a text that is too long. */
  constructor(text: string) {
    if (text.length > SELECTOR_CHARS_MAX)
      throw new InvalidSelectorError(`the selector is longer than ${SELECTOR_CHARS_MAX} characters`);
    this.#text = text;
    this.#token = this.#read();
  }

  *requirements(): Generator<LabelRequirement, undefined> {
    if (this.#token === END) return;
    if (!startsRequirement(this.#token)) throw notExpected(this.#token, "!, identifier, or 'end of string'");
    for (;;) {
      yield this.#requirement();
      const after = this.#take();
      if (after === END) return;
      if (after !== ",") throw notExpected(after, "',' or 'end of string'");
      if (!startsRequirement(this.#token)) throw notExpected(this.#token, "identifier after ','");
    }
  }

  #requirement(): LabelRequirement {
    this.#count();
    try {
      return this.#readRequirement();
    } catch (error) {
      if (!(error instanceof InvalidSelectorError)) throw error;
      throw new InvalidSelectorError(`unable to parse requirement: ${error.message}`);
    }
  }

  #readRequirement(): LabelRequirement {
    const isAbsent = this.#accept("!");
    const key = this.#word();
    const complaints = keyComplaints(key);
    if (complaints.length > 0) {
      throw new InvalidSelectorError(describeFieldError(invalid("<nil>", key, complaints.join("; "))));
    }
    if (isAbsent) return requirement(key, "!", NO_VALUES);
    if (endsRequirement(this.#token)) return requirement(key, "exists", NO_VALUES);
    const written = this.#take();
    const operator = OPERATORS[written];
    if (operator === undefined) throw notExpected(written, "in, notin, =, ==, !=, gt, lt");
    if (operator === "in" || operator === "notin")
      return requirement(key, operator, [...this.#valueSet()].sort());
    return requirement(key, operator, [endsRequirement(this.#token) ? "" : this.#word()]);
  }

  #word(): string {
    const token = this.#take();
    if (!isWord(token)) throw notExpected(token, "identifier");
    return token;
  }

  /** (a,b): nothing between two commas or before the end is the empty value, and so is (). */
  #valueSet(): Set<string> {
    const open = this.#take();
    if (open !== "(") throw new InvalidSelectorError(`found '${open}' expected: '('`);
    if (this.#accept(")")) return new Set([""]);
    const first = this.#token;
    if (first !== "," && !isWord(first)) throw notExpected(first, "',', ')' or identifier");
    const values = new Set<string>();
    for (;;) {
      const token = this.#take();
      if (isWord(token)) {
        this.#count();
        values.add(token);
        if (this.#accept(")")) return values;
        if (this.#token !== ",") throw notExpected(this.#token, "',' or ')'");
      } else if (token === ",") {
        if (values.size === 0) values.add("");
        if (this.#accept(")")) return values.add("");
        if (this.#accept(",")) values.add("");
      } else throw notExpected(token, "',', or identifier");
    }
  }

  #count(): void {
    if (++this.#terms > SELECTOR_TERMS_MAX)
      throw new InvalidSelectorError(
        `the selector has more than ${SELECTOR_TERMS_MAX} requirements and values`,
      );
  }

  #accept(symbol: string): boolean {
    if (this.#token !== symbol) return false;
    this.#token = this.#read();
    return true;
  }

  #take(): string {
    const token = this.#token;
    this.#token = this.#read();
    return token;
  }

  /** A NUL ends a token and is skipped right behind it; anywhere else it ends the text. */
  #read(): string {
    const text = this.#text;
    let at = this.#at;
    while (at < text.length && this.#class(at) === SPACE) at++;
    if (at >= text.length || this.#class(at) === STOP) {
      this.#at = text.length;
      return END;
    }
    const start = at;
    if (this.#class(at) === SYMBOL) {
      const two = text.startsWith("==", at) || text.startsWith("!=", at);
      at += two ? 2 : 1;
    } else while (at < text.length && this.#class(at) === 0) at++;
    this.#at = at < text.length && this.#class(at) === STOP ? at + 1 : at;
    return text.slice(start, at);
  }

  #class(at: number): number {
    return CLASSES[this.#text.charCodeAt(at)] ?? 0;
  }
}

const NO_VALUES: readonly string[] = [];
