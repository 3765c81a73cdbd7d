// The JSONPath dialect of Kubernetes, parsed into steps. Columns of custom resources are written in it:
//
//   .spec.nodeName   ['app\.kubernetes\.io/name']   .items[0]   .items[*].node   .items[-1:]   ..name
//   .status.conditions[?(@.type=="Ready")].status
//
// A CRD is accepted with any text as path, so a path that does not parse is an ordinary outcome: undefined.
import { append } from "../../meta/lists.ts";

export type Step =
  | { readonly type: "field"; readonly name: string }
  | { readonly type: "wildcard" }
  | { readonly type: "recursive" }
  | { readonly type: "slice"; readonly from: number | undefined; readonly to: number | undefined }
  | { readonly type: "stepped"; readonly slice: Step; readonly step: number }
  | { readonly type: "index"; readonly at: number }
  | { readonly type: "union"; readonly members: readonly (readonly Step[])[] }
  | { readonly type: "exists"; readonly path: readonly Step[] }
  | {
      readonly type: "compare";
      readonly left: readonly Step[];
      readonly operator: string;
      readonly right: readonly Step[];
    }
  | { readonly type: "literal"; readonly value: string | number | boolean }
  /** A bare word; the dialect knows range and end, which have no meaning in a column. */
  | { readonly type: "word" };

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
    if (this.#steps.at(-1)?.type === "recursive") throw new PathSyntaxError("two descents in a row");
    this.#steps.push({ type: "recursive" });
    if (/[\p{L}\p{N}_]/u.test(this.#text.charAt(this.#at))) this.#field();
  }

  /** A name up to the next terminator; a backslash makes any character part of the name. */
  #field(): void {
    const start = this.#at;
    while (this.#at < this.#text.length && !TERMINATOR.test(this.#text.charAt(this.#at))) {
      this.#at += this.#text.charAt(this.#at) === "\\" ? 2 : 1;
    }
    const name = this.#text.slice(start, this.#at);
    this.#steps.push(
      name === "*" ? { type: "wildcard" } : { type: "field", name: name.replaceAll("\\", "") },
    );
  }

  #word(): void {
    const start = this.#at;
    while (this.#at < this.#text.length && !TERMINATOR.test(this.#text.charAt(this.#at))) this.#at++;
    const word = this.#text.slice(start, this.#at);
    if (word === "true" || word === "false") this.#steps.push({ type: "literal", value: word === "true" });
    else this.#steps.push({ type: "word" });
  }

  #number(): void {
    const start = this.#at++;
    while (/[.\d]/.test(this.#text.charAt(this.#at))) this.#at++;
    const digits = this.#text.slice(start, this.#at);
    if (!NUMBER.test(digits)) throw new PathSyntaxError(`${digits} is no number`);
    this.#steps.push({ type: "literal", value: Number(digits) });
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
    this.#steps.push({ type: "literal", value });
  }

  #brackets(): void {
    const end = this.#text.indexOf("]", this.#at);
    if (end < 0) throw new PathSyntaxError("a bracket is not closed");
    const inner = this.#text.slice(this.#at + 1, end);
    this.#at = end + 1;
    const parts = inner.split(",");
    if (parts.length > 1) {
      const members = parts.map((part) => new Parser(`[${part.trim()}]`).parse());
      this.#steps.push({ type: "union", members });
      return;
    }
    const key = QUOTED_KEY.exec(inner)?.[1];
    if (key === undefined) this.#steps.push(parseSlice(inner));
    else append(this.#steps, new Parser(`.${key}`).parse());
  }

  #filter(): void {
    const condition = this.#condition();
    const [, left, operator, right] = COMPARISON.exec(condition) ?? [];
    if (left === undefined || operator === undefined || right === undefined) {
      this.#steps.push({ type: "exists", path: new Parser(condition).parse() });
    } else {
      const sides = { left: new Parser(left).parse(), right: new Parser(right).parse() };
      this.#steps.push({ type: "compare", operator, ...sides });
    }
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
  if (inner === "*") return { type: "slice", from: undefined, to: undefined };
  const match = SLICE.exec(inner);
  if (match === null) throw new PathSyntaxError(`[${inner}] is no index`);
  const [, first = "", second, third = ""] = match;
  if (second === undefined) return { type: "index", at: toInteger(first) ?? 0 };
  const slice: Step = { type: "slice", from: toInteger(first), to: toInteger(second.slice(1)) };
  const step = toInteger(third.slice(1));
  return step === undefined ? slice : { type: "stepped", slice, step };
}

function toInteger(digits: string): number | undefined {
  if (digits === "") return undefined;
  if (digits === "-") throw new PathSyntaxError("a sign needs digits");
  return Number(digits);
}
