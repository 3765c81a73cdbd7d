// resourceVersion as clients send it. Texts of refusals are those of Go's strconv, which a real server passes on.
import { plainError, type StatusError } from "../meta/status.ts";

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
