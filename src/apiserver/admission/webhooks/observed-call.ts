// One webhook call in progress: collects the record for the observer.
import { elapsedMs } from "../../../apimachinery/meta/clock.ts";
import type { StatusError } from "../../../apimachinery/meta/status.ts";
import type { JsonPatchOperation } from "../../../apimachinery/patch/json-patch.ts";
import type { WebhookVerdict } from "../../registry/admission-observer.ts";
import type { ResourceView } from "../../registry/definition/resource-definition.ts";
import { shownUrl } from "../../registry/webhook.ts";
import type { WriteRequest } from "../request.ts";
import type { Webhook } from "./webhook.ts";

const ALLOWED = 200;
/** Success codes of client-go (rest/request.go). */
const SUCCESS_MIN = 200;
const SUCCESS_MAX = 206;
/** The code of a call without a usable response, unless the response has one. */
const SERVICE_UNAVAILABLE = 503;

export interface CallManner {
  readonly mutating: boolean;
  /** Whether it is a reinvocation after a change by a later mutator. */
  readonly reinvoked: boolean;
}

export class ObservedCall {
  /** The review as sent. */
  review: string | undefined;
  warnings: readonly string[] = [];
  patch: readonly JsonPatchOperation[] = [];
  /** The code of a failed call: that of the unsuccessful response, or of the server's own error. */
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

  /** Records that the webhook denies the request with this error. */
  deniedBy(denial: StatusError): StatusError {
    this.#denial = denial;
    return denial;
  }

  /** Records the HTTP status code of the response. */
  answered(status: number): void {
    if (status < SUCCESS_MIN || status > SUCCESS_MAX) this.failureCode = status;
  }

  allowed(): void {
    this.#end("allowed", ALLOWED, "");
  }

  /** Records that there was no usable response. */
  failed(error: Error, failsOpen: boolean): void {
    this.#end(failsOpen ? "failed-open" : "failed-closed", this.failureCode, error.message);
  }

  /** Records that the request is rejected with this error, by the webhook or by the server. */
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
