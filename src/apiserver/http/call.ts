// Metrics and log records of one request, from its arrival to its end.

import { boundedText, cloneText } from "../../apimachinery/go/clone.ts";
import type { Clock } from "../../apimachinery/meta/clock.ts";
import { Histogram } from "../../apimachinery/meta/histogram.ts";
import type { ApiRequest, ApiResponse, RequestObserver, RequestRecord } from "../endpoints/api-request.ts";
import type { RequestInfo } from "../endpoints/request/request-info.ts";
import type { Log } from "./log.ts";

export const LABELS = ["verb", "group", "version", "resource", "subresource"] as const;
export type RequestLabels = Readonly<Record<(typeof LABELS)[number], string>>;

const BOUNDS_SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5];

/**
 * Paths can name anything, also resources that do not exist. Above this number of label sets, further requests share
 * one.
 */
const ROWS_MAX = 1000;
const OTHERS: RequestLabels = { verb: "", group: "", version: "", resource: "", subresource: "" };

export interface RequestCount {
  readonly labels: RequestLabels;
  /** Responses by status code. */
  readonly codes: Map<number, number>;
  readonly seconds: Histogram;
  /** Open watches. */
  watches: number;
}

/** Counts of responses. Every request updates them, so an update is cheap; reading them is rare. */
export class RequestCounts implements Iterable<RequestCount> {
  readonly #counts: RequestCount[] = [];
  readonly #byResource = new Map<string, RequestCount[]>();

  answered(labels: RequestLabels, code: number, seconds: number): void {
    const count = this.#of(labels);
    count.codes.set(code, (count.codes.get(code) ?? 0) + 1);
    if (labels.verb === "WATCH") return; // the duration of a watch depends on the client
    count.seconds.observe(seconds);
  }

  watching(labels: RequestLabels, change: 1 | -1): void {
    this.#of(labels).watches += change;
  }

  [Symbol.iterator](): Iterator<RequestCount> {
    return this.#counts.values();
  }

  #of(labels: RequestLabels): RequestCount {
    const known = this.#byResource.get(labels.resource);
    // A resource has few label sets, and their strings are identical: comparing is cheaper than a joined key.
    const count = known?.find((item) => isSame(item.labels, labels));
    if (count !== undefined) return count;
    if (this.#counts.length >= ROWS_MAX && labels !== OTHERS) return this.#of(OTHERS);
    const own = copyOf(labels);
    const fresh = { labels: own, codes: new Map(), seconds: new Histogram(BOUNDS_SECONDS), watches: 0 };
    this.#counts.push(fresh);
    if (known) known.push(fresh);
    else this.#byResource.set(own.resource, [fresh]);
    return fresh;
  }
}

/** Copies labels, which are slices of URLs, so that the URLs can be released. */
const copyOf = (labels: RequestLabels): RequestLabels => ({
  verb: cloneText(labels.verb),
  group: cloneText(labels.group),
  version: cloneText(labels.version),
  resource: cloneText(labels.resource),
  subresource: cloneText(labels.subresource),
});

const isSame = (a: RequestLabels, b: RequestLabels): boolean =>
  a.verb === b.verb && a.subresource === b.subresource && a.version === b.version && a.group === b.group;

export interface CallObservers {
  /** Requests for served resources have their own label values. */
  readonly metrics: { readonly counts: RequestCounts; isServed(info: RequestInfo): boolean };
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

  /** The response is complete; undefined: the connection has been broken. */
  answered(answer: ApiResponse | undefined, cause: string): void {
    if (answer) this.#count(answer.status);
    this.#tell("complete", answer, cause);
  }

  /** The response is a stream that is about to be sent. */
  streaming(answer: ApiResponse, cause: string): void {
    this.#observers.metrics.counts.watching(this.labels, 1);
    if (this.#request.info.verb === "watch") this.#tell("started", answer, cause);
  }

  /** The stream has ended. */
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

/** Returns the observer itself where requests are not logged. */
export function loggedRequests(observer: RequestObserver, { debug }: Log): RequestObserver {
  if (debug === undefined) return observer;
  return {
    add: (record) => {
      observer.add(record);
      debug(fieldsOf(record), record.stage === "complete" ? "request" : `watch ${record.stage}`);
    },
  };
}

/** Maximum characters of each text of a request in a log line. */
const LOGGED_CHARACTERS_MAX = 4096;

function fieldsOf(record: RequestRecord): Readonly<Record<string, unknown>> {
  const { info, method, url, user, userAgent, status, startedMs, endedMs, cause, revision } = record;
  return {
    verb: info.verb || method.toLowerCase(),
    path: boundedText(url, LOGGED_CHARACTERS_MAX),
    user: boundedText(user, LOGGED_CHARACTERS_MAX),
    status,
    ms: endedMs - startedMs,
    userAgent: boundedText(userAgent, LOGGED_CHARACTERS_MAX),
    ...(cause === "" ? {} : { fault: cause }),
    ...(revision === undefined ? {} : { resourceVersion: String(revision) }),
  };
}
