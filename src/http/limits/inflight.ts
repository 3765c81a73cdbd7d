// How many requests may be on their way at a time, as the API server's flags of these names say, and the time that each
// has, from its arrival until its answer has been read. Watches do not count.
import type { ServerResponse } from "node:http";
import { type ApiRequest, type ApiResponse, discardBody } from "../../apiserver/api-request.ts";
import { respondFailure } from "../../apiserver/pipeline.ts";
import { Warnings } from "../../apiserver/response/warnings.ts";
import { durationMs } from "../../go/duration.ts";
import type { Clock } from "../../meta/clock.ts";
import { notInTime } from "./request-bodies.ts";

export interface InflightLimits {
  /** Requests that only read; 0 is no limit. */
  readonly maxRequestsInflight: number;
  /** Requests that may change something; 0 is no limit. */
  readonly maxMutatingRequestsInflight: number;
}

export type RequestKind = "readOnly" | "mutating";

const READ_ONLY = new Set(["GET", "HEAD", "OPTIONS"]);

export const kindOf = (method: string): RequestKind => (READ_ONLY.has(method) ? "readOnly" : "mutating");

export class Inflight {
  readonly #limits: Readonly<Record<RequestKind, number>>;
  readonly #now: Record<RequestKind, number> = { readOnly: 0, mutating: 0 };
  readonly #refused: Record<RequestKind, number> = { readOnly: 0, mutating: 0 };

  constructor({ maxRequestsInflight, maxMutatingRequestsInflight }: InflightLimits) {
    this.#limits = {
      readOnly: maxRequestsInflight || Number.POSITIVE_INFINITY,
      mutating: maxMutatingRequestsInflight || Number.POSITIVE_INFINITY,
    };
  }

  /** False when there are enough already; otherwise leave has to follow. */
  enter(kind: RequestKind): boolean {
    if (this.#now[kind] >= this.#limits[kind]) {
      this.#refused[kind]++;
      return false;
    }
    this.#now[kind]++;
    return true;
  }

  leave(kind: RequestKind): void {
    this.#now[kind]--;
  }

  /** How many were ever too many. */
  get refused(): Readonly<Record<RequestKind, number>> {
    return this.#refused;
  }

  /** How many are on their way. */
  get now(): Readonly<Record<RequestKind, number>> {
    return this.#now;
  }
}

/** A client may ask for less time, but not for more; what cannot be read is refused elsewhere. */
export function timeFor({ query }: ApiRequest, requestMs: number): number {
  const asked = durationMs(query.get("timeout")) ?? 0;
  return asked > 0 ? Math.min(asked, requestMs) : requestMs;
}

/** The answer, or a 504 after so long. The work goes on then, and its outcome is thrown away. */
export function answerInTime(
  request: ApiRequest,
  answer: Promise<ApiResponse>,
  { clock, ms }: { readonly clock: Clock; readonly ms: number },
): Promise<ApiResponse> {
  return new Promise((resolve, reject) => {
    let late = false;
    const timer = clock.after(ms, () => {
      late = true;
      resolve(respondFailure(request, new Warnings(), notInTime()));
    });
    answer.then(async (response) => {
      timer.cancel();
      if (late) await discardBody(response);
      else resolve(response);
    }, reject);
  });
}

/** Breaks the connection, or the stream of HTTP/2, if the answer has not been read after so long, as a real server does. */
export function cutWhenUnread(response: ServerResponse, clock: Clock, ms: number): void {
  const timer = clock.after(ms, () => response.destroy());
  response.once("close", () => timer.cancel());
}
