import { describe, expect, test } from "vitest";
import {
  canonicalTime,
  formatRfc3339,
  isGoDate,
  MICRO_TIME_LAYOUT,
  parseGoTime,
  parseRfc3339,
  TIME_LAYOUT,
} from "../../../../src/apimachinery/go/time.ts";

const complaint = (text: string, layout = TIME_LAYOUT): string => {
  const parsed = parseGoTime(text, layout);
  return parsed.ok ? "" : parsed.error;
};
const AS = `as "${TIME_LAYOUT}"`;

describe("what cannot be read", () => {
  test.each([
    ["yesterday", `parsing time "yesterday" ${AS}: cannot parse "yesterday" as "2006"`],
    ["", `parsing time "" ${AS}: cannot parse "" as "2006"`],
    ["2020", `parsing time "2020" ${AS}: cannot parse "" as "-"`],
    [
      "2020-1-02T00:00:00Z",
      `parsing time "2020-1-02T00:00:00Z" ${AS}: cannot parse "1-02T00:00:00Z" as "01"`,
    ],
    ["2020-01-02", `parsing time "2020-01-02" ${AS}: cannot parse "" as "T"`],
    ["2020-01-02 03:04:05Z", `parsing time "2020-01-02 03:04:05Z" ${AS}: cannot parse " 03:04:05Z" as "T"`],
    ["2020-01-02T03:04:05", `parsing time "2020-01-02T03:04:05" ${AS}: cannot parse "" as "Z07:00"`],
    ["2020-13-02T03:04:05Z", 'parsing time "2020-13-02T03:04:05Z": month out of range'],
    ["2023-02-29T03:04:05Z", 'parsing time "2023-02-29T03:04:05Z": day out of range'],
    ["2020-01-02T24:04:05Z", 'parsing time "2020-01-02T24:04:05Z": hour out of range'],
    ["2020-01-02T03:60:05Z", 'parsing time "2020-01-02T03:60:05Z": minute out of range'],
    ["2020-01-02T03:04:60Z", 'parsing time "2020-01-02T03:04:60Z": second out of range'],
    ["2020-01-02T03:04:05Zx", 'parsing time "2020-01-02T03:04:05Zx": extra text: "x"'],
    [
      "2020-01-02T03:04:05+25:00",
      'parsing time "2020-01-02T03:04:05+25:00": time zone offset hour out of range',
    ],
    ["é", `parsing time "\\xc3\\xa9" ${AS}: cannot parse "\\xc3\\xa9" as "2006"`],
  ])("%j", (text, expected) => {
    expect(complaint(text)).toBe(expected);
  });

  test("microseconds need their six digits", () => {
    expect(complaint("2020-01-02T03:04:05.123Z", MICRO_TIME_LAYOUT)).toContain(
      'cannot parse ".123Z" as ".000000"',
    );
  });
});

test.each([
  ["2020-01-02T03:04:05Z", false, "2020-01-02T03:04:05Z"],
  ["2020-01-02T3:04:05Z", false, "2020-01-02T03:04:05Z"],
  ["2020-01-02T03:04:05.999Z", false, "2020-01-02T03:04:05Z"],
  ["2020-01-02T03:04:05,5-01:30", false, "2020-01-02T04:34:05Z"],
  ["2020-01-02T03:04:05.123456Z", true, "2020-01-02T03:04:05.123456Z"],
  ["0001-01-01T00:00:00Z", false, undefined],
  ["0050-01-01T00:00:00Z", false, "0050-01-01T00:00:00Z"],
])("%s is written as it is read", (text, micro, expected) => {
  expect(canonicalTime(text, micro)).toBe(expected);
});

test("dates", () => {
  expect(["2024-02-29", "2023-02-29", "2024-2-3", "2024-12-31"].map(isGoDate)).toEqual([
    true,
    false,
    false,
    true,
  ]);
});

test.each([
  ["1970-01-01T00:00:01Z", 1_000_000_000n, "1970-01-01T00:00:01Z"],
  ["1969-12-31T23:59:59.5Z", -500_000_000n, "1969-12-31T23:59:59.5Z"],
  ["1970-01-01T01:00:00.000000001+01:00", 1n, "1970-01-01T00:00:00.000000001Z"],
  ["1970-01-01T00:00:00.1234567899Z", 123_456_789n, "1970-01-01T00:00:00.123456789Z"],
])("%s is read to the nanosecond", (text, nanos, written) => {
  expect(parseRfc3339(text)).toBe(nanos);
  expect(formatRfc3339(nanos)).toBe(written);
});

test.each(["1970-01-01t00:00:00Z", "1970-01-01T00:00:00z", "1970-01-01"])(
  "%s is no time of RFC 3339",
  (text) => {
    expect(parseRfc3339(text)).toBeUndefined();
  },
);
