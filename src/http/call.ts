// One request from its arrival to its end, for those who count and log requests.
import type { ApiRequest, ApiResponse } from "../apiserver/api-request.ts";
import type { RequestObserver, RequestRecord } from "../apiserver/request-hooks.ts";
import type { Clock } from "../meta/clock.ts";
import type { Metrics, RequestLabels } from "./metrics.ts";

export interface CallObservers {
  readonly metrics: Metrics;
  readonly clock: Clock;
  readonly log: RequestObserver;
}

const NOTHING = { group: "", version: "", resource: "", subresource: "" };

export class Call {
  readonly labels: RequestLabels;
  readonly #request: ApiRequest;
  readonly #url: string;
  readonly #startedMs: number;
  readonly #observers: CallObservers;

  constructor(request: ApiRequest, url: string, startedMs: number, observers: CallObservers) {
    const { method, info } = request;
    const { verb, group, version, resource, subresource } = info;
    const known = info.isResourceRequest && observers.metrics.isServed(info);
    const what = known ? { group, version, resource, subresource } : NOTHING;
    this.labels = { verb: verb.toUpperCase() || method, ...what };
    this.#request = request;
    this.#url = url;
    this.#startedMs = startedMs;
    this.#observers = observers;
  }

  /** It has an answer, whole and on its way; or none, because its connection has been broken. */
  answered(answer: ApiResponse | undefined, cause: string): void {
    if (answer) this.#count(answer.status);
    this.#tell("complete", answer, cause);
  }

  /** The answer is a stream, which is about to be sent. */
  streaming(answer: ApiResponse, cause: string): void {
    this.#observers.metrics.counts.watching(this.labels, 1);
    if (this.#request.info.verb === "watch") this.#tell("started", answer, cause);
  }

  /** The stream has come to its end. */
  streamed(answer: ApiResponse, cause: string): void {
    this.#observers.metrics.counts.watching(this.labels, -1);
    this.#count(answer.status);
    this.#tell(this.#request.info.verb === "watch" ? "ended" : "complete", answer, cause);
  }

  #count(status: number): void {
    const { metrics, clock } = this.#observers;
    metrics.counts.answered(this.labels, status, (clock.now() - this.#startedMs) / 1000);
  }

  #tell(stage: RequestRecord["stage"], answer: ApiResponse | undefined, cause: string): void {
    const { method, info, user, impersonate, headers } = this.#request;
    this.#observers.log.add({
      stage,
      method,
      url: this.#url,
      info,
      user: impersonate?.name || user.name,
      userAgent: headers["user-agent"] ?? "",
      status: answer?.status ?? 0,
      startedMs: this.#startedMs,
      endedMs: this.#observers.clock.now(),
      cause,
      revision: answer?.revision,
    });
  }
}
