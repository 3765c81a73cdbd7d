// One call of a webhook while it is under way: gathers what the observer reports at its end.
import { elapsedMs } from "../../meta/clock.ts";
import type { StatusError } from "../../meta/status.ts";
import type { JsonPatchOperation } from "../../patch/json-patch.ts";
import type { WebhookVerdict } from "../../registry/admission-observer.ts";
import type { ResourceView } from "../../registry/definition/resource-definition.ts";
import { shownUrl } from "../../registry/webhook.ts";
import type { WriteRequest } from "../request.ts";
import type { Webhook } from "./webhook.ts";

const ALLOWED = 200;
/** As client-go counts them (rest/request.go). */
const SUCCESS_MIN = 200;
const SUCCESS_MAX = 206;
/** Of a webhook without a usable answer, unless its answer has a code. */
const SERVICE_UNAVAILABLE = 503;

export interface CallManner {
  readonly mutating: boolean;
  /** A later mutator has changed the object since the last call. */
  readonly reinvoked: boolean;
}

export class ObservedCall {
  /** What was sent. */
  review: string | undefined;
  warnings: readonly string[] = [];
  patch: readonly JsonPatchOperation[] = [];
  /** Of a failure: the code of an answer that is no success, or of what the server says in its place. */
  failureCode = SERVICE_UNAVAILABLE;
  readonly #webhook: Webhook;
  readonly #request: WriteRequest;
  readonly #view: ResourceView;
  readonly #how: CallManner;
  readonly #startedMs: number;
  readonly #from = elapsedMs();
  #denial: StatusError | undefined;

  constructor(webhook: Webhook, request: WriteRequest, view: ResourceView, how: CallManner) {
    this.#webhook = webhook;
    this.#request = request;
    this.#view = view;
    this.#how = how;
    this.#startedMs = request.deps.clock.now();
  }

  /** The webhook denies the request, which is rejected with this error. */
  deniedBy(denial: StatusError): StatusError {
    this.#denial = denial;
    return denial;
  }

  /** There is an answer with this HTTP status code. */
  answered(status: number): void {
    if (status < SUCCESS_MIN || status > SUCCESS_MAX) this.failureCode = status;
  }

  allowed(): void {
    this.#end("allowed", ALLOWED, "");
  }

  /** There was no usable answer. */
  failed(error: Error, failsOpen: boolean): void {
    this.#end(failsOpen ? "failed-open" : "failed-closed", this.failureCode, error.message);
  }

  /** The request is rejected with this error: by the webhook, or by the server itself. */
  rejected(error: unknown): void {
    const message = error instanceof Error ? error.message : String(error);
    const denial = error === this.#denial ? this.#denial : undefined;
    this.#end(denial ? "denied" : "error", denial?.code ?? 0, message);
  }

  #end(verdict: WebhookVerdict, code: number, message: string): void {
    const webhook = this.#webhook;
    const { attributes, deps } = this.#request;
    const { group, kind } = this.#request.kindIn(this.#view).definition;
    deps.observer?.webhookCalled({
      ...{ webhook: webhook.name, configuration: webhook.configuration, ...this.#how },
      url: shownUrl(webhook, webhook.timeoutSeconds),
      ...{ attributes, group, kind, verdict, code, message },
      ...{ review: this.review, warnings: this.warnings, patch: this.patch },
      ...{ startedMs: this.#startedMs, durationMs: elapsedMs() - this.#from },
    });
  }
}
