// What faults do to a request: each that strikes stands around the ones behind it, and around the API in the end. A fault
// is only looked for, and only counts, when the request comes as far as it.
import {
  type ApiRequest,
  type ApiResponse,
  type Connection,
  discardBody,
  type Intervention,
} from "../../apiserver/api-request.ts";
import { respondFailure } from "../../apiserver/pipeline.ts";
import { Warnings } from "../../apiserver/response/warnings.ts";
import type { Clock } from "../../meta/clock.ts";
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
} from "../../meta/status.ts";
import { expiredContinue } from "../../registry/read/list.ts";
import type { Store } from "../../storage/store.ts";
import { breakConnection, sleep, throttleAnswer, truncateAnswer } from "./answer-body.ts";
import type { ActionName, ErrorFault, Fault, Milliseconds, StaleReadFault } from "./fault.ts";
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
  readonly fault: Fault;
  readonly request: ApiRequest;
  readonly target: Target;
  readonly connection: Connection;
  /** The answer of what stands behind. */
  go(request: ApiRequest): Answer;
}

const ACTIONS: Readonly<Partial<Record<ActionName, (step: Step) => Answer>>> = {
  error: answerError,
  delay: answerLate,
  disconnect: breakOff,
  slow: trickle,
  staleRead: readStale,
  expireContinue: async ({ request }) =>
    respondFailure(request, new Warnings(), expiredContinue(request.query.get("continue"))),
};

/** Struck by the fault at `first` of these, in their order; perhaps by others behind it. */
export function createChain(
  faults: readonly LiveFault[],
  first: number,
  { request, target }: { readonly request: ApiRequest; readonly target: Target },
  deps: FaultDeps,
): Intervention {
  const struck: string[] = [];
  return {
    get cause() {
      return struck.join(",");
    },
    answer: (api, connection) => {
      const strike = (index: number, asked: ApiRequest): Answer => {
        const live = faults[index];
        const act = live && ACTIONS[live.action];
        if (live === undefined || act === undefined) return api(asked);
        struck.push(live.id);
        const go = (next: ApiRequest) => strike(findStriking(faults, index + 1, target, deps.random), next);
        return act({ ...deps, fault: live.fault, request: asked, target, connection, go });
      };
      return strike(first, request);
    },
  };
}

/** The place of the next fault that strikes; behind the last one when there is none. */
export function findStriking(
  faults: readonly LiveFault[],
  from: number,
  target: Target,
  random: () => number,
): number {
  for (let index = from; index < faults.length; index++) {
    if (faults[index]?.strikes("request", target, random)) return index;
  }
  return faults.length;
}

/** A number of milliseconds, or one of a range. */
export function sampleMilliseconds(given: Milliseconds, random: () => number): number {
  return typeof given === "number" ? given : given.min + random() * (given.max - given.min);
}

async function answerError({ fault: { error }, request, target, go }: Step): Answer {
  if (error === undefined) return go(request);
  if (error.when === "after") {
    const lost = await go(request);
    if (lost === undefined) return undefined;
    await discardBody(lost);
  }
  return respondFailure(request, new Warnings(), statusOf(error, target));
}

async function answerLate({ fault: { delay }, request, connection, clock, random, go }: Step): Answer {
  if (delay === undefined) return go(request);
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

async function breakOff({ fault: { disconnect }, request, connection, go }: Step): Answer {
  if (disconnect === undefined) return go(request);
  const { how, when = "before" } = disconnect;
  if (when !== "before") {
    const response = await go(request);
    if (response === undefined) return undefined;
    if (when === "midBody") return truncateAnswer(response, how, connection);
    await discardBody(response);
  }
  await breakConnection(how, connection);
  return undefined;
}

async function trickle({ fault: { slow }, request, clock, go }: Step): Answer {
  const response = await go(request);
  return response && slow ? throttleAnswer(response, slow.bytesPerSecond, clock) : response;
}

async function readStale({ fault: { staleRead }, request, store, go }: Step): Answer {
  return go(staleRead ? { ...request, readAt: staleRevision(staleRead, store) } : request);
}

/** Not newer than the store, and not older than what it still keeps. */
function staleRevision(
  { revisions = 1, resourceVersion }: StaleReadFault,
  store: FaultDeps["store"],
): number {
  const wanted = resourceVersion === undefined ? store.revision - revisions : Number(resourceVersion);
  return Math.max(store.compactedRevision, Math.min(wanted, store.revision), 1);
}

const RETRY_SECONDS = 1;

/** Reason and message of a code that needs no words about the object. */
const PLAIN: Readonly<Record<number, readonly [reason: string, message?: string]>> = {
  401: ["Unauthorized", "Unauthorized"],
  405: ["MethodNotAllowed"],
  406: ["NotAcceptable"],
  413: ["RequestEntityTooLarge"],
  415: ["UnsupportedMediaType"],
  422: ["Invalid"],
  503: ["ServiceUnavailable", "the server is currently unable to handle the request"],
};

/** The failure that an error fault stands for, in the words of a real server: clients cannot tell the difference. */
export function statusOf(fault: ErrorFault, target: Target): StatusError {
  const error = usualStatus(fault, target);
  const { reason, message, retryAfterSeconds } = fault;
  if (reason !== undefined) error.status.reason = reason;
  if (message !== undefined) error.status.message = message;
  if (retryAfterSeconds !== undefined) error.status.details = { ...error.status.details, retryAfterSeconds };
  return error;
}

function usualStatus({ code, reason, retryAfterSeconds }: ErrorFault, target: Target): StatusError {
  switch (code) {
    case 400:
      return badRequest("the server rejected our request for an unknown reason");
    case 403:
      return forbidden(target, target.name, "unknown");
    case 404:
      return notFound(target, target.name);
    case 409:
      return reason === "AlreadyExists"
        ? alreadyExists(target, target.name)
        : conflict(target, target.name, MODIFIED);
    case 410:
      return resourceExpired("The provided resource version is too old.");
    case 429:
      return tooManyRequests(
        "the server has received too many requests and has asked us to try again later",
        retryAfterSeconds ?? RETRY_SECONDS,
      );
    case 500:
      return internalServerError("an error on the server has prevented the request from succeeding");
    case 504:
      return timeout(
        "Timeout: request did not complete within requested timeout - context deadline exceeded",
        0,
      );
    default:
      return otherStatus(code, target);
  }
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
