// The JSONPath dialect of Kubernetes, parsed into steps. Columns of custom resources are written in it:
//
//   .spec.nodeName   ['app\.kubernetes\.io/name']   .items[0]   .items[*].node   .items[-1:]   ..name
//   .status.conditions[?(@.type=="Ready")].status
//
// A CRD is accepted with any text as path, so a path that does not parse is an ordinary outcome: undefined.
import { append } from "../../meta/lists.ts";
import {
  comparison,
  elementAt,
  exists,
  literal,
  member,
  RECURSIVE,
  type Step,
  slice,
  union,
  WILDCARD,
  WORD,
} from "./json-path.ts";

/** The steps of a path as it stands in a CRD (without the braces of a template), or undefined. */
export function parseJsonPath(text: string): readonly Step[] | undefined {
  try {
    return new Parser(text).parse();
  } catch (error) {
    if (error instanceof PathSyntaxError) return undefined;
    throw error;
  }
}

class PathSyntaxError extends Error {}

const TERMINATOR = /[ \t\r\n.,[\]$@{}]/;
const QUOTED_KEY = /^'([^']*)'$/;
const SLICE = /^(-?\d*)(:-?\d*)?(:-?\d*)?$/;
const COMPARISON = /^([^!<>=]+)([!<>=]+)(.+)$/s;
const NUMBER = /^[+-]?\d+(\.\d*)?$/;

class Parser {
  readonly #text: string;
  #at = 0;
  readonly #steps: Step[] = [];

  constructor(text: string) {
    this.#text = text;
  }

  parse(): Step[] {
    while (this.#at < this.#text.length) {
      if (this.#takes("[?(")) this.#filter();
      else if (this.#takes("..")) this.#recursive();
      else this.#single();
    }
    return this.#steps;
  }

  #takes(prefix: string): boolean {
    if (!this.#text.startsWith(prefix, this.#at)) return false;
    this.#at += prefix.length;
    return true;
  }

  #single(): void {
    const char = this.#text.charAt(this.#at);
    if (char === " " || char === "@" || char === "$") this.#at++;
    else if (char === "[") this.#brackets();
    else if (char === '"' || char === "'") this.#quoted(char);
    else if (char === ".") {
      this.#at++;
      this.#field();
    } else if (/[+\-\d]/.test(char)) this.#number();
    else if (/[\p{L}_]/u.test(char)) this.#word();
    else throw new PathSyntaxError(`a path cannot hold ${char} here`);
  }

  #recursive(): void {
    if (this.#steps.at(-1) === RECURSIVE) throw new PathSyntaxError("two descents in a row");
    this.#steps.push(RECURSIVE);
    if (/[\p{L}\p{N}_]/u.test(this.#text.charAt(this.#at))) this.#field();
  }

  /** A name up to the next terminator; a backslash makes any character part of the name. */
  #field(): void {
    const start = this.#at;
    while (this.#at < this.#text.length && !TERMINATOR.test(this.#text.charAt(this.#at))) {
      this.#at += this.#text.charAt(this.#at) === "\\" ? 2 : 1;
    }
    const name = this.#text.slice(start, this.#at);
    this.#steps.push(name === "*" ? WILDCARD : member(name.replaceAll("\\", "")));
  }

  #word(): void {
    const start = this.#at;
    while (this.#at < this.#text.length && !TERMINATOR.test(this.#text.charAt(this.#at))) this.#at++;
    const word = this.#text.slice(start, this.#at);
    this.#steps.push(word === "true" || word === "false" ? literal(word === "true") : WORD);
  }

  #number(): void {
    const start = this.#at++;
    while (/[.\d]/.test(this.#text.charAt(this.#at))) this.#at++;
    const digits = this.#text.slice(start, this.#at);
    if (!NUMBER.test(digits)) throw new PathSyntaxError(`${digits} is no number`);
    this.#steps.push(literal(Number(digits)));
  }

  #quoted(quote: string): void {
    let value = "";
    for (this.#at++; ; this.#at++) {
      let char = this.#text.charAt(this.#at);
      if (char === "" || char === "\n") throw new PathSyntaxError("a quoted text does not end");
      if (char === quote) break;
      if (char === "\\") char = this.#text.charAt(++this.#at);
      value += char;
    }
    this.#at++;
    this.#steps.push(literal(value));
  }

  #brackets(): void {
    const end = this.#text.indexOf("]", this.#at);
    if (end < 0) throw new PathSyntaxError("a bracket is not closed");
    const inner = this.#text.slice(this.#at + 1, end);
    this.#at = end + 1;
    const parts = inner.split(",");
    if (parts.length > 1) {
      this.#steps.push(union(parts.map((part) => new Parser(`[${part.trim()}]`).parse())));
      return;
    }
    const key = QUOTED_KEY.exec(inner)?.[1];
    if (key === undefined) this.#steps.push(parseSlice(inner));
    else append(this.#steps, new Parser(`.${key}`).parse());
  }

  #filter(): void {
    const condition = this.#condition();
    const [, left, operator, right] = COMPARISON.exec(condition) ?? [];
    const isComparison = left !== undefined && operator !== undefined && right !== undefined;
    this.#steps.push(
      isComparison
        ? comparison(new Parser(left).parse(), operator, new Parser(right).parse())
        : exists(new Parser(condition).parse()),
    );
  }

  /** The text up to the closing parenthesis, which may also stand inside of quotes. */
  #condition(): string {
    const start = this.#at;
    let quote = "";
    for (; ; this.#at++) {
      const char = this.#text.charAt(this.#at);
      if (char === "" || char === "\n") throw new PathSyntaxError("a filter does not end");
      if (char === "\\") this.#at++;
      else if (quote !== "") quote = char === quote ? "" : quote;
      else if (char === '"' || char === "'") quote = char;
      else if (char === ")") break;
    }
    const condition = this.#text.slice(start, this.#at);
    this.#at++;
    if (!this.#takes("]")) throw new PathSyntaxError("a filter lacks its bracket");
    return condition;
  }
}

/** [3], [-1], [1:3], [:2], [::2] and [*]; empty brackets are the first element. */
function parseSlice(inner: string): Step {
  if (inner === "*") return slice(undefined, undefined);
  const match = SLICE.exec(inner);
  if (match === null) throw new PathSyntaxError(`[${inner}] is no index`);
  const [, first = "", second, third = ""] = match;
  if (second === undefined) return elementAt(toInteger(first) ?? 0);
  return slice(toInteger(first), toInteger(second.slice(1)), toInteger(third.slice(1)));
}

function toInteger(digits: string): number | undefined {
  if (digits === "") return undefined;
  if (digits === "-") throw new PathSyntaxError("a sign needs digits");
  return Number(digits);
}
