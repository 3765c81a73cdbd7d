// The Status objects of faults, in the words that a real server has for them, so that clients cannot tell the difference.
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
import type { ErrorFault } from "./fault.ts";
import type { Target } from "./match.ts";

const RETRY_SECONDS = 1;

/** What a code is called where the words above do not know it. */
const REASONS: Readonly<Record<number, string>> = {
  401: "Unauthorized",
  405: "MethodNotAllowed",
  406: "NotAcceptable",
  413: "RequestEntityTooLarge",
  415: "UnsupportedMediaType",
  422: "Invalid",
  503: "ServiceUnavailable",
};

const MESSAGES: Readonly<Record<number, string>> = {
  401: "Unauthorized",
  503: "the server is currently unable to handle the request",
};

/** The failure that an error fault stands for. */
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
    case 429: {
      const message = "the server has received too many requests and has asked us to try again later";
      return tooManyRequests(message, retryAfterSeconds ?? RETRY_SECONDS);
    }
    case 500:
      return internalServerError("an error on the server has prevented the request from succeeding");
    case 504: {
      const message =
        "Timeout: request did not complete within requested timeout - context deadline exceeded";
      return timeout(message, 0);
    }
    default:
      return otherStatus(code, target);
  }
}

function otherStatus(code: number, { group, resource, name }: Target): StatusError {
  const message = MESSAGES[code] ?? `the server has answered with the status code ${code}`;
  const details = {
    ...(name ? { name } : {}),
    ...(group ? { group } : {}),
    ...(resource ? { kind: resource } : {}),
  };
  return failure({ code, reason: REASONS[code] ?? "InternalError", message, details });
}
