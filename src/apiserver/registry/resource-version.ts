// resourceVersion as clients send it, and the mapping of store errors to Status errors. The texts of rejections are those
// of Go's strconv, which upstream passes on.

import { posix } from "node:path";
import { goJsonType, isObject } from "../../apimachinery/json/json.ts";
import { decodeJson, JsonSyntaxError } from "../../apimachinery/json/json-decode.ts";
import {
  alreadyExists,
  badRequest,
  conflict,
  type GroupResource,
  internalServerError,
  MODIFIED,
  plainError,
  resourceExpired,
  type StatusError,
  timeout,
  tooManyRequests,
} from "../../apimachinery/meta/status.ts";
import { StoreError } from "../../storage/store.ts";

const DIGITS = /^\d+$/;
const UINT64_MAX = 2n ** 64n - 1n;

/** strconv.ParseUint's error for a text that is no unsigned 64-bit number; undefined when it is one. */
export function parseUintComplaint(text: string): string | undefined {
  if (!DIGITS.test(text)) return `strconv.ParseUint: parsing ${JSON.stringify(text)}: invalid syntax`;
  if (BigInt(text) > UINT64_MAX)
    return `strconv.ParseUint: parsing ${JSON.stringify(text)}: value out of range`;
  return undefined;
}

/** The number in a query's resourceVersion; "" and "0" are 0. Throws 500 without a reason, as upstream. */
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
const GUARDED = "another process has taken over what this one has begun";

/** Status error of a failed store operation on one object; other errors are returned unchanged. */
export function toStatusError(error: unknown, resource: GroupResource, name: string): unknown {
  if (!(error instanceof StoreError)) return error;
  switch (error.code) {
    case "KEY_EXISTS":
      return alreadyExists(resource, name);
    case "REVISION_MISMATCH":
      return conflict(resource, name, MODIFIED);
    case "GUARDED":
      return conflict(resource, name, GUARDED);
    case "COMPACTED":
      return tooOldResourceVersion();
    case "FUTURE_REVISION":
      return tooLargeResourceVersion(0, 0);
    case "SLOW_CONSUMER":
      return tooManyRequests("the watch fell too far behind", RETRY_SECONDS);
    case "REFUSED":
      return plainError(error.message);
    case "TIMEOUT":
      return timeout(`request did not complete within requested timeout - ${error.message}`, 0);
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

/** Error of a list or read at a future revision. */
export function tooLargeResourceVersion(wanted: number, current: number): StatusError {
  return timeout(`Too large resource version: ${wanted}, current: ${current}`, RETRY_SECONDS, [
    { reason: "ResourceVersionTooLarge", message: "Too large resource version" },
  ]);
}

// Continue token of a chunked list: base64url of {"v":"meta.k8s.io/v1","rv":7,"start":"name\u0000"}. rv is the revision
// of all chunks, or -1 for the present one. start is the next key, below the prefix of the collection.

const TOKEN_VERSION = "meta.k8s.io/v1";

/** Continue in the present state, whatever its revision. */
export const ANY_REVISION = -1;

export interface ContinueToken {
  readonly revision: number;
  readonly start: string;
}

export function encodeContinue({ revision, start }: ContinueToken): string {
  return Buffer.from(JSON.stringify({ v: TOKEN_VERSION, rv: revision, start })).toString("base64url");
}

/** Throws 400 for an invalid token, with the texts of upstream's packages. */
export function decodeContinue(text: string): ContinueToken {
  const { v, rv, start } = readToken(decodeBase64(text));
  if (v !== TOKEN_VERSION) throw refusal(` server does not recognize this encoded version ${v}`);
  if (rv === 0) throw refusal(` incorrect encoded start resourceVersion (version ${TOKEN_VERSION})`);
  if (start === "") throw refusal(` encoded start key empty (version ${TOKEN_VERSION})`);
  const key = start.startsWith("/") ? start : `/${start}`;
  if (posix.resolve(key) !== key) throw refusal(` ${start}`); // it could lead out of the collection
  return { revision: rv < 0 ? ANY_REVISION : rv, start: key.slice(1) };
}

function refusal(why: string): StatusError {
  return badRequest(`invalid continue token: continue key is not valid:${why}`);
}

/** Go's RawURLEncoding: no padding, and no single letter at the end. */
function decodeBase64(text: string): Buffer {
  const bytes = Buffer.from(text, "utf8")
    .toString("latin1")
    .replace(/[\r\n]/g, "");
  const odd = bytes.search(/[^\w-]/);
  const wrong = odd < 0 && bytes.length % 4 === 1 ? bytes.length - 1 : odd;
  if (wrong >= 0) throw refusal(` illegal base64 data at input byte ${wrong}`);
  return Buffer.from(bytes, "base64url");
}

/** Absent and null members are empty, as in a Go struct. */
function readToken(json: Uint8Array) {
  const value = parse(json) ?? {};
  if (!isObject(value)) {
    throw refusal(` json: cannot unmarshal ${goJsonType(value)} into Go value of type storage.continueToken`);
  }
  const misfit = (field: string, given: unknown, wanted: string) => {
    const shown =
      typeof given === "number" && !Number.isInteger(given) ? `number ${given}` : goJsonType(given);
    return refusal(
      ` json: cannot unmarshal ${shown} into Go struct field continueToken.${field} of type ${wanted}`,
    );
  };
  const textAt = (field: string): string => {
    const text = value[field] ?? "";
    if (typeof text === "string") return text;
    throw misfit(field, text, "string");
  };
  const v = textAt("v");
  const { rv } = value;
  if (typeof (rv ?? 0) !== "bigint" && !Number.isInteger(rv ?? 0)) throw misfit("rv", rv, "int64");
  return { v, rv: Number(rv ?? 0), start: textAt("start") };
}

function parse(json: Uint8Array): unknown {
  try {
    return decodeJson(json).value;
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    throw refusal(` ${error.message}`);
  }
}
