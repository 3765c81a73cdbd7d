// What a walk over a value has found, and how much of the schema fitted: of several alternatives the one that fitted
// best is reported. A finding that says the same as an earlier one is not repeated.
import { FINDINGS_CHARS_MAX, type FieldError } from "../../meta/field-error.ts";

export class Findings {
  readonly errors: FieldError[] = [];
  /** Checks that were made, as a real server counts them to choose among failed alternatives. */
  matches = 0;
  /** Made with the first finding: most walks are over branches in which there is none. */
  #seen: Set<string> | undefined;
  #chars = 0;

  get isValid(): boolean {
    return this.errors.length === 0;
  }

  /** What comes when more has been found than is told is passed over. */
  add(error: FieldError): void {
    if (this.#chars > FINDINGS_CHARS_MAX) return;
    const text = `${error.field}\n${error.message}`;
    this.#seen ??= new Set();
    if (this.#seen.has(text)) return;
    this.#seen.add(text);
    this.#chars += text.length;
    this.errors.push(error);
  }

  merge(other: Findings): void {
    for (const error of other.errors) this.add(error);
    this.matches += other.matches;
  }

  /** Forgets what was found after the first count errors. */
  truncate(count: number): void {
    for (const error of this.errors.splice(count)) {
      const text = `${error.field}\n${error.message}`;
      this.#seen?.delete(text);
      this.#chars -= text.length;
    }
  }
}
