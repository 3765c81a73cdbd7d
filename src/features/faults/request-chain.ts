// Applies faults to a request. Each fault wraps the next one, and the last one wraps the API. A fault is matched and
// counted only when the request reaches it.

import type { Clock } from "../../apimachinery/meta/clock.ts";
import {
  alreadyExists,
  badRequest,
  conflict,
  failure,
  forbidden,
  internalServerError,
  MODIFIED,
  notFound,
  resourceExpired,
  type StatusError,
  timeout,
  tooManyRequests,
} from "../../apimachinery/meta/status.ts";
import {
  type ApiRequest,
  type ApiResponse,
  type Connection,
  discardBody,
  type Intervention,
} from "../../apiserver/endpoints/api-request.ts";
import { respondFailure } from "../../apiserver/endpoints/api-server.ts";
import { Warnings } from "../../apiserver/endpoints/response/warnings.ts";
import { expiredContinue } from "../../apiserver/registry/read/list.ts";
import type { Store } from "../../storage/store.ts";
import { breakConnection, sleep, throttleAnswer, truncateAnswer } from "./answer-body.ts";
import type { Action, ActionName, Fault, Milliseconds } from "./fault.ts";
import type { LiveFault } from "./live-fault.ts";
import type { Target } from "./match.ts";

export interface FaultDeps {
  readonly clock: Clock;
  /** At least 0 and less than 1. */
  readonly random: () => number;
  readonly store: Pick<Store, "revision" | "compactedRevision">;
}

type Answer = Promise<ApiResponse | undefined>;

interface Step extends FaultDeps {
  readonly request: ApiRequest;
  readonly target: Target;
  readonly connection: Connection;
  /** Continues with the next fault, or with the API. */
  go(request: ApiRequest): Answer;
}

/** The actions that affect requests; all others affect the events of watches. */
const ACTIONS: { readonly [A in ActionName]?: (fault: Action<A>, step: Step) => Answer } = {
  error: answerError,
  delay: answerLate,
  disconnect: breakOff,
  async slow({ bytesPerSecond }, { request, clock, go }) {
    const response = await go(request);
    return response && throttleAnswer(response, bytesPerSecond, clock);
  },
  staleRead: (fault, { request, store, go }) => go({ ...request, readAt: staleRevision(fault, store) }),
  expireContinue: async (_fault, { request }) =>
    respondFailure(request, new Warnings(), expiredContinue(request.query.get("continue"))),
};

/** undefined for an action that does not affect requests. */
function actOf<A extends ActionName>(action: A, fault: Fault, step: Step): Answer | undefined {
  const given = fault[action];
  return given === undefined ? undefined : ACTIONS[action]?.(given, step);
}

/** The request is struck by `first`, and possibly by further faults. */
export function createChain(
  first: LiveFault,
  others: Iterator<LiveFault, undefined>,
  { request, target }: { readonly request: ApiRequest; readonly target: Target },
  deps: FaultDeps,
): Intervention {
  const struck: string[] = [];
  return {
    get cause() {
      return struck.join(",");
    },
    answer: (api, connection) => {
      const strike = (live: LiveFault | undefined, asked: ApiRequest): Answer => {
        if (live === undefined) return api(asked);
        struck.push(live.id);
        const go = (next: ApiRequest) => strike(others.next().value, next);
        const step = { ...deps, request: asked, target, connection, go };
        return actOf(live.action, live.fault, step) ?? api(asked);
      };
      return strike(first, request);
    },
  };
}

/** The fixed number of milliseconds, or a random one of the range. */
export function sampleMilliseconds(given: Milliseconds, random: () => number): number {
  return typeof given === "number" ? given : given.min + random() * (given.max - given.min);
}

async function answerError(error: Action<"error">, { request, target, go }: Step): Answer {
  if (error.when === "after") {
    const lost = await go(request);
    if (lost === undefined) return undefined;
    await discardBody(lost);
  }
  return respondFailure(request, new Warnings(), statusOf(error, target));
}

async function answerLate(delay: Action<"delay">, { request, connection, clock, random, go }: Step): Answer {
  const milliseconds = sampleMilliseconds(delay.milliseconds, random);
  const before = delay.when !== "after";
  if (before) await sleep(clock, milliseconds, connection.gone);
  if (connection.gone.aborted) return undefined;
  const response = await go(request);
  if (!before) await sleep(clock, milliseconds, connection.gone);
  if (response === undefined || !connection.gone.aborted) return response;
  await discardBody(response);
  return undefined;
}

async function breakOff(
  { how, when = "before" }: Action<"disconnect">,
  { request, connection, go }: Step,
): Answer {
  if (when !== "before") {
    const response = await go(request);
    if (response === undefined) return undefined;
    if (when === "midBody") return truncateAnswer(response, how, connection);
    await discardBody(response);
  }
  await breakConnection(how, connection);
  return undefined;
}

/** The requested revision, limited to those between compaction and the newest. */
function staleRevision(
  { revisions = 1, resourceVersion }: Action<"staleRead">,
  store: FaultDeps["store"],
): number {
  const wanted = resourceVersion === undefined ? store.revision - revisions : Number(resourceVersion);
  return Math.max(store.compactedRevision, Math.min(wanted, store.revision), 1);
}

/** Errors whose text depends on the object or the cause. */
const USUAL: Readonly<Record<number, (target: Target, fault: Action<"error">) => StatusError>> = {
  400: () => badRequest("the server rejected our request for an unknown reason"),
  403: (target) => forbidden(target, target.name, "unknown"),
  404: (target) => notFound(target, target.name),
  409: (target, { reason }) =>
    reason === "AlreadyExists" ? alreadyExists(target, target.name) : conflict(target, target.name, MODIFIED),
  410: () => resourceExpired("The provided resource version is too old."),
  429: (_target, { retryAfterSeconds = 1 }) =>
    tooManyRequests(
      "the server has received too many requests and has asked us to try again later",
      retryAfterSeconds,
    ),
  500: () => internalServerError("an error on the server has prevented the request from succeeding"),
  504: () =>
    timeout("Timeout: request did not complete within requested timeout - context deadline exceeded", 0),
};

/** Reason and message of the other status codes. */
const PLAIN: Readonly<Record<number, readonly [reason: string, message?: string]>> = {
  401: ["Unauthorized", "Unauthorized"],
  405: ["MethodNotAllowed"],
  406: ["NotAcceptable"],
  413: ["RequestEntityTooLarge"],
  415: ["UnsupportedMediaType"],
  422: ["Invalid"],
  503: ["ServiceUnavailable", "the server is currently unable to handle the request"],
};

/** The Status of an error fault, with the text of a real API server: clients cannot distinguish the two. */
export function statusOf(fault: Action<"error">, target: Target): StatusError {
  const error = USUAL[fault.code]?.(target, fault) ?? otherStatus(fault.code, target);
  const { reason, message, retryAfterSeconds } = fault;
  if (reason !== undefined) error.status.reason = reason;
  if (message !== undefined) error.status.message = message;
  if (retryAfterSeconds !== undefined) error.status.details = { ...error.status.details, retryAfterSeconds };
  return error;
}

function otherStatus(code: number, { group, resource, name }: Target): StatusError {
  const [reason, message = `the server has answered with the status code ${code}`] = PLAIN[code] ?? [
    "InternalError",
  ];
  const details = {
    ...(name ? { name } : {}),
    ...(group ? { group } : {}),
    ...(resource ? { kind: resource } : {}),
  };
  return failure({ code, reason, message, details });
}
