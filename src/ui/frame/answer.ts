// State of a request: none, running, answered or rejected. A new request aborts the previous one.
import { type Signal, signal } from "@preact/signals";
import { Refused, type ToldStatus } from "./ask.ts";

export type Answer<T> =
  | { readonly state: "none" }
  /** `before` is the previous answer, shown until the new one arrives. */
  | { readonly state: "asking"; readonly before: T | undefined }
  | { readonly state: "answered"; readonly value: T }
  | { readonly state: "refused"; readonly status: ToldStatus };

/** The answer to show: during a request the previous one. */
export function shownOf<T>(answer: Answer<T>): T | undefined {
  if (answer.state === "answered") return answer.value;
  return answer.state === "asking" ? answer.before : undefined;
}

export class Asking<T> {
  readonly answer: Signal<Answer<T>> = signal<Answer<T>>({ state: "none" });
  #running = new AbortController();

  /** `question` gets a signal that is aborted when its answer is no longer needed. */
  ask(question: (signal: AbortSignal) => Promise<T>): void {
    this.#running.abort();
    this.#running = new AbortController();
    const { signal } = this.#running;
    const { value: last } = this.answer;
    this.answer.value = { state: "asking", before: last.state === "answered" ? last.value : undefined };
    question(signal).then(
      (value) => {
        if (!signal.aborted) this.answer.value = { state: "answered", value };
      },
      (error: unknown) => {
        if (!signal.aborted) this.answer.value = { state: "refused", status: toldOf(error) };
      },
    );
  }

  forget(): void {
    this.#running.abort();
    this.answer.value = { state: "none" };
  }
}

export function toldOf(error: unknown): ToldStatus {
  if (error instanceof Refused) return error.status;
  return { code: 0, reason: "", message: error instanceof Error ? error.message : String(error), causes: [] };
}
