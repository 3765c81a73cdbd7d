// resourceVersion as clients send it, and the one place where what went wrong in a store becomes what a client is told.
// Texts of refusals are those of Go's strconv, which a real server passes on.
import {
  alreadyExists,
  conflict,
  type GroupResource,
  internalServerError,
  MODIFIED,
  plainError,
  resourceExpired,
  type StatusError,
  timeout,
  tooManyRequests,
} from "../meta/status.ts";
import { StoreError } from "../storage/store.ts";

const DIGITS = /^\d+$/;
const UINT64_MAX = 2n ** 64n - 1n;

/** What strconv.ParseUint says of a text that is no unsigned 64-bit number; undefined when it is one. */
export function parseUintComplaint(text: string): string | undefined {
  if (!DIGITS.test(text)) return `strconv.ParseUint: parsing ${JSON.stringify(text)}: invalid syntax`;
  if (BigInt(text) > UINT64_MAX)
    return `strconv.ParseUint: parsing ${JSON.stringify(text)}: value out of range`;
  return undefined;
}

/** The number in a query's resourceVersion; "" and "0" are 0. Throws 500 without a reason, as a real server does. */
export function parseResourceVersion(text: string): number {
  if (text === "" || text === "0") return 0;
  const complaint = parseUintComplaint(text);
  if (complaint !== undefined) throw resourceVersionError(text, complaint);
  return Number(text);
}

function resourceVersionError(text: string, complaint: string): StatusError {
  return plainError(`resourceVersion: Invalid value: ${JSON.stringify(text)}: ${complaint}`);
}

/** The number in an object's metadata.resourceVersion, read before a write; absent, "" and "0" are 0. */
export function objectResourceVersion(text: string | undefined): number {
  if (text === undefined || text === "") return 0;
  const complaint = parseUintComplaint(text);
  if (complaint !== undefined) throw plainError(complaint);
  return Number(text);
}

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
