import { expect, test } from "vitest";
import { HTTP_LIMITS } from "../../../src/apiserver/http/limits.ts";
import { UsageError } from "../../../src/server/errors.ts";
import { readOptions } from "../../../src/server/options/options.ts";
import { httpLimits } from "../../../src/server/options/time-and-chance.ts";

const limitsOf = (...flags: [string, string][]) => httpLimits(readOptions(new Map(flags)));

test("without flags they are those of a kube-apiserver", () => {
  expect(limitsOf()).toEqual(HTTP_LIMITS);
});

test.each<[string, string, Partial<typeof HTTP_LIMITS>]>([
  ["request-timeout", "1h30m", { requestMs: 5_400_000 }],
  ["request-timeout", "250ms", { requestMs: 250 }],
  ["shutdown-timeout", "1m", { drainMs: 60_000 }],
  ["shutdown-timeout", "0s", { drainMs: 0 }],
  ["http2-max-streams-per-connection", "7", { streamsPerConnectionMax: 7 }],
  ["http2-max-streams-per-connection", "0", {}],
])("--%s %s", (flag, text, changed) => {
  expect(limitsOf([flag, text])).toEqual({ ...HTTP_LIMITS, ...changed });
});

test.each([
  ["request-timeout", "60", 'missing unit in duration "60"'],
  ["request-timeout", "-1s", "is less than nothing"],
  ["request-timeout", "0", "leaves no time"],
  ["shutdown-timeout", "5", 'missing unit in duration "5"'],
  ["http2-max-streams-per-connection", "-1", "is no whole number"],
  ["max-request-bytes", "1MiB", "is no whole number"],
])("--%s %s is refused", (flag, text, complaint) => {
  expect(() => limitsOf([flag, text])).toThrow(UsageError);
  expect(() => limitsOf([flag, text])).toThrow(complaint);
});
