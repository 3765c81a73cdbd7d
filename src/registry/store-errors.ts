// The one place where what went wrong in a store becomes what a client is told.
import {
  alreadyExists,
  conflict,
  type GroupResource,
  internalServerError,
  MODIFIED,
  resourceExpired,
  type StatusError,
  timeout,
  tooManyRequests,
} from "../meta/status.ts";
import { StoreError } from "../storage/store-error.ts";

const RETRY_SECONDS = 1;

/** The Status for a failed store operation on one object, or anything else as it is. */
export function toStatusError(error: unknown, resource: GroupResource, name: string): unknown {
  if (!(error instanceof StoreError)) return error;
  switch (error.code) {
    case "KEY_EXISTS":
      return alreadyExists(resource, name);
    case "REVISION_MISMATCH":
      return conflict(resource, name, MODIFIED);
    case "COMPACTED":
      return tooOldResourceVersion();
    case "FUTURE_REVISION":
      return tooLargeResourceVersion(0, 0);
    case "SLOW_CONSUMER":
      return tooManyRequests("the watch fell too far behind", RETRY_SECONDS);
    case "CLOSED":
    case "LOCKED":
    case "UNREADABLE":
    case "FORMAT_VERSION":
      return internalServerError(error.message, error);
  }
}

export function tooOldResourceVersion(): StatusError {
  return resourceExpired("The provided resource version is too old.");
}

/** What a list or a read at a revision that is not there yet is told. */
export function tooLargeResourceVersion(wanted: number, current: number): StatusError {
  return timeout(`Too large resource version: ${wanted}, current: ${current}`, RETRY_SECONDS, [
    { reason: "ResourceVersionTooLarge", message: "Too large resource version" },
  ]);
}
