import { describe, expect, test } from "vitest";
import { parseShardSelector } from "../../../../src/apimachinery/meta/shard-selector.ts";

const range = (start: string, end: string, field = "uid") =>
  `shardRange(object.metadata.${field}, '${start}', '${end}')`;
const [ZERO, HALF, END] = ["0x0000000000000000", "0x8000000000000000", "0x10000000000000000"];
const takes = (selector: string, value: string) => parseShardSelector(selector).matches(() => value);

describe("a shard", () => {
  test("is a range of the 64-bit FNV-1a hash of a field", () => {
    // Of "a": af63dc4c8601ec8c; of "": cbf29ce484222325 (the offset of the hash).
    expect(takes(range("0xaf63dc4c8601ec8c", "0xaf63dc4c8601ec8d"), "a")).toBe(true);
    expect(takes(range("0xaf63dc4c8601ec8d", END), "a")).toBe(false);
    expect(takes(range(ZERO, "0xaf63dc4c8601ec8c"), "a")).toBe(false);
    expect(takes(range("0xcbf29ce484222325", "0xcbf29ce484222326"), "")).toBe(true);
  });

  test("and its complement share all objects", () => {
    for (const uid of ["a", "b", "c", "ö", "d7c5b9c0-0000-4000-8000-000000000000"])
      expect(takes(range(ZERO, HALF), uid)).not.toBe(takes(range(HALF, END), uid));
  });

  test("may be several ranges, and is repeated in one form", () => {
    const text = `  shardRange( object.metadata.uid ,'${ZERO}', "${HALF}")||${range(HALF, END)} `;
    expect(parseShardSelector(text).text).toBe(`${range(ZERO, HALF)} || ${range(HALF, END)}`);
    expect(takes(text, "anything")).toBe(true);
  });

  test("is one of the field that it names", () => {
    const asked: string[] = [];
    parseShardSelector(range(ZERO, END, "namespace")).matches((field) => {
      asked.push(field);
      return "";
    });
    expect(asked).toEqual(["metadata.namespace"]);
  });
});

test.each([
  [" ", "empty shard selector is not allowed; omit the parameter for unfiltered lists"],
  ["bad", "unexpected expression kind 3; expected shardRange() call or || operator"],
  ["'text'", "unexpected expression kind 5; expected shardRange() call or || operator"],
  ["a.b", "unexpected expression kind 7; expected shardRange() call or || operator"],
  ["hex(a)", 'unsupported function "hex"; only shardRange() and || are allowed'],
  ["shardRange(object.metadata.uid, '0x0')", "shardRange() requires exactly 3 arguments, got 2"],
  ["shardRange()", "shardRange() requires exactly 3 arguments, got 0"],
  [
    range(ZERO, HALF, "name"),
    'unsupported field path "object.metadata.name"; supported: object.metadata.uid, object.metadata.namespace',
  ],
  [
    `shardRange('a', '${ZERO}', '${HALF}')`,
    "shardRange() first argument: expected field path (e.g. object.metadata.uid), got expression kind 5",
  ],
  ["shardRange(object.metadata.uid, 0, 8)", "hexStart must be a string literal, got int64"],
  [
    `shardRange(object.metadata.uid, hex(0), '${HALF}')`,
    "hexStart must be a string literal (e.g. '0xff'), got expression kind 1",
  ],
  [range("0000000000000000", HALF), `hexStart must have '0x' prefix, got "0000000000000000"`],
  [range(ZERO, "0x"), "hexEnd: hex value is required after '0x'"],
  [
    range("0x0", HALF),
    'hexStart must be a 0x-prefixed 16-digit hex value, got "0x0" (did you mean "0x0000000000000000"?)',
  ],
  [range("0x0g", HALF), 'hexStart: invalid hex character "g" in "0x0g"'],
  [
    range(ZERO, "0x10000000000000001"),
    `hexEnd: 17-digit hex value must be '0x10000000000000000' (2^64), got "0x10000000000000001"`,
  ],
  [range(ZERO, `0x${"0".repeat(18)}`), `hexEnd: hex value too long (18 chars, max 17): "${"0".repeat(18)}"`],
  [
    range("0x9000000000000000", HALF),
    "shard range start 0x9000000000000000 must be less than end 0x8000000000000000",
  ],
  [range(HALF, HALF), "shard range start 0x8000000000000000 must be less than end 0x8000000000000000"],
  [
    `${range(ZERO, HALF)} || ${range(HALF, END, "namespace")}`,
    'all shard ranges must use the same field, got "object.metadata.uid" and "object.metadata.namespace"',
  ],
  [`${range(ZERO, HALF)} && x`, "CEL parse error: nothing is known that begins with &"],
  [`${range(ZERO, HALF)} ||`, "CEL parse error: unexpected end"],
  ["shardRange(object.", "CEL parse error: unexpected end"],
])("%s is refused", (text, why) => {
  expect(() => parseShardSelector(text)).toThrow(`invalid shard selector: ${why}`);
});
