import { describe, expect, test } from "vitest";
import { ageSince, humanDuration } from "../../../../../src/apiserver/registry/table/columns.ts";

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const YEAR = 365 * DAY;

describe("durations", () => {
  test.each([
    [-2 * SECOND, "<invalid>"],
    [-1999, "0s"],
    [-1, "0s"],
    [0, "0s"],
    [999, "0s"],
    [5 * SECOND, "5s"],
    [119 * SECOND, "119s"],
    [2 * MINUTE, "2m"],
    [3 * MINUTE + 20 * SECOND, "3m20s"],
    [10 * MINUTE - 1, "9m59s"],
    [10 * MINUTE + 59 * SECOND, "10m"],
    [3 * HOUR - 1, "179m"],
    [3 * HOUR, "3h"],
    [7 * HOUR + 59 * MINUTE, "7h59m"],
    [8 * HOUR + 59 * MINUTE, "8h"],
    [2 * DAY - 1, "47h"],
    [2 * DAY, "2d"],
    [2 * DAY + 5 * HOUR, "2d5h"],
    [8 * DAY + 5 * HOUR, "8d"],
    [2 * YEAR - 1, "729d"],
    [2 * YEAR, "2y"],
    [3 * YEAR + 40 * DAY, "3y40d"],
    [8 * YEAR + 40 * DAY, "8y"],
  ])("%d ms is %s", (durationMs, text) => {
    expect(humanDuration(durationMs)).toBe(text);
  });
});

describe("ages", () => {
  const now = Date.parse("2026-06-01T12:00:00Z");
  test.each([
    ["2026-06-01T11:59:55Z", "5s"],
    ["2026-06-01T13:59:55+02:00", "5s"],
    ["2026-06-01T11:59:54.500Z", "5s"],
    ["2099-01-01T00:00:00Z", "<invalid>"],
    ["yesterday", "<invalid>"],
    ["2026-06-01", "<invalid>"],
    ["2026-13-01T00:00:00Z", "<invalid>"],
    ["", "<unknown>"],
    ["null", "<unknown>"],
    ["0001-01-01T00:00:00Z", "<unknown>"],
    [null, "<unknown>"],
    [undefined, "<unknown>"],
  ])("%j is %s ago", (timestamp, age) => {
    expect(ageSince(timestamp, now)).toBe(age);
  });
});
