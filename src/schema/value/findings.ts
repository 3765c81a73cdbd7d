// What a walk over a value has found, and how much of the schema fitted: of several alternatives the one that fitted
// best is reported. A finding that says the same as an earlier one is not repeated.
import type { FieldError } from "../../meta/field-error.ts";

export class Findings {
  readonly errors: FieldError[] = [];
  /** Checks that were made, as a real server counts them to choose among failed alternatives. */
  matches = 0;
  readonly #seen = new Set<string>();

  get isValid(): boolean {
    return this.errors.length === 0;
  }

  add(error: FieldError): void {
    const text = `${error.field}\n${error.message}`;
    if (this.#seen.has(text)) return;
    this.#seen.add(text);
    this.errors.push(error);
  }

  merge(other: Findings): void {
    for (const error of other.errors) this.add(error);
    this.matches += other.matches;
  }

  /** Forgets what was found after the first count errors. */
  truncate(count: number): void {
    for (const error of this.errors.splice(count)) this.#seen.delete(`${error.field}\n${error.message}`);
  }
}
