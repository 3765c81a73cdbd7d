import { expect, test } from "vitest";
import { unpackSnappy } from "../../../../../src/storage/level/files/snappy.ts";

const hex = (text: string): Buffer => Buffer.from(text.replaceAll(" ", ""), "hex");

test.each([
  ["bytes that are given", "03 08 616263", "abc"],
  ["a near piece that repeats itself", "09 08 616263 09 03", "abcabcabc"],
  ["a far piece", "06 08 616263 0a 0300", "abcabc"],
  ["a piece as far as can be", "06 08 616263 0b 03000000", "abcabc"],
  ["nothing", "00", ""],
])("%s", (_, packed, text) => {
  expect(unpackSnappy(hex(packed)).toString()).toBe(text);
});

test("a long literal has its length in bytes of its own", () => {
  const text = "x".repeat(300);
  expect(unpackSnappy(Buffer.concat([hex("ac02 f4 2b01"), Buffer.from(text)])).toString()).toBe(text);
});

test.each([
  ["what ends too soon", "03 08 6162"],
  ["what repeats nothing", "03 09 05"],
  ["what is longer than said", "01 08 616263"],
  ["what is shorter than said", "05 08 616263"],
])("%s is refused", (_, packed) => {
  expect(() => unpackSnappy(hex(packed))).toThrow(RangeError);
});
