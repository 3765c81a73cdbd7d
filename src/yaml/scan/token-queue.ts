// Tokens that wait for the parser. A key shows itself only by the ":" behind it, and is then put before its first token.
import type { Token } from "./token.ts";

export class TokenQueue {
  /** Those that wait are from #head to #end; what is beyond is left over. */
  readonly #tokens: Token[] = [];
  #head = 0;
  #end = 0;
  /** How many were taken. */
  #taken = 0;

  get first(): Token | undefined {
    return this.#head < this.#end ? this.#tokens[this.#head] : undefined;
  }

  /** Of the token that is added next, as all are counted. */
  get nextNumber(): number {
    return this.#taken + this.#end - this.#head;
  }

  add(token: Token): void {
    this.#tokens[this.#end] = token;
    this.#end++;
  }

  /** Puts it before the token of that number; behind all when that has been taken. */
  insert(token: Token, number: number): void {
    const tokens = this.#tokens;
    const place = number < this.#taken ? this.#end : this.#head + number - this.#taken;
    for (let index = this.#end; index > place; index--) tokens[index] = tokens[index - 1] ?? token;
    tokens[place] = token;
    this.#end++;
  }

  /** Takes the first one, which has to be there. */
  take(): void {
    this.#head++;
    this.#taken++;
    if (this.#head < this.#end) return;
    this.#head = 0;
    this.#end = 0;
  }
}
