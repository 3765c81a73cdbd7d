import { expect, test } from "vitest";
import { Inflight, kindOf } from "../../../../../src/apiserver/http/limits.ts";

test("as many of a kind are let in as its limit says, and another when one has left", () => {
  const inflight = new Inflight({ maxRequestsInflight: 2, maxMutatingRequestsInflight: 1 });
  expect([1, 2, 3].map(() => inflight.enter("readOnly"))).toEqual([true, true, false]);
  expect([1, 2].map(() => inflight.enter("mutating"))).toEqual([true, false]);
  expect(inflight.now).toEqual({ readOnly: 2, mutating: 1 });
  expect(inflight.refused).toEqual({ readOnly: 1, mutating: 1 });
  inflight.leave("readOnly");
  expect(inflight.enter("readOnly")).toBe(true);
});

test("0 is no limit", () => {
  const inflight = new Inflight({ maxRequestsInflight: 0, maxMutatingRequestsInflight: 0 });
  for (let count = 0; count < 1000; count++) expect(inflight.enter("mutating")).toBe(true);
});

test.each([
  ["GET", "readOnly"],
  ["HEAD", "readOnly"],
  ["OPTIONS", "readOnly"],
  ["POST", "mutating"],
  ["DELETE", "mutating"],
])("%s is %s", (method, kind) => {
  expect(kindOf(method)).toBe(kind);
});
