import { expect, test } from "vitest";
import { StatusError } from "../../../../src/apimachinery/meta/status.ts";
import {
  tooLargeResourceVersion,
  toStatusError,
} from "../../../../src/apiserver/registry/resource-version.ts";
import { StoreError, type StoreErrorCode } from "../../../../src/storage/store.ts";

const RESOURCE = { group: "example.com", resource: "things" };
const EXPECTED: Readonly<Record<StoreErrorCode, [code: number, reason: string]>> = {
  KEY_EXISTS: [409, "AlreadyExists"],
  REVISION_MISMATCH: [409, "Conflict"],
  GUARDED: [409, "Conflict"],
  COMPACTED: [410, "Expired"],
  FUTURE_REVISION: [504, "Timeout"],
  SLOW_CONSUMER: [429, "TooManyRequests"],
  CLOSED: [500, "InternalError"],
  LOCKED: [500, "InternalError"],
  UNREADABLE: [500, "InternalError"],
  FORMAT_VERSION: [500, "InternalError"],
  REFUSED: [500, ""],
  TIMEOUT: [504, "Timeout"],
};

test.each(Object.entries(EXPECTED))("%s is told as %j", (code, [status, reason]) => {
  const error = toStatusError(new StoreError(code as StoreErrorCode, "why"), RESOURCE, "t"); // a key of the record
  expect(error).toBeInstanceOf(StatusError);
  expect(error).toMatchObject({ code: status, reason });
});

test("any other error stays what it is", () => {
  const error = new Error("our own");
  expect(toStatusError(error, RESOURCE, "t")).toBe(error);
});

test("a revision that is not there yet is one to come back for", () => {
  expect(tooLargeResourceVersion(9, 7).status).toMatchObject({
    code: 504,
    message: "Too large resource version: 9, current: 7",
    details: { retryAfterSeconds: 1, causes: [{ reason: "ResourceVersionTooLarge" }] },
  });
});
