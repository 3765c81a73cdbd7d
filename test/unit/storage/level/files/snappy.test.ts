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

const [size, piece] = ["the unpacked bytes are not as many as said", "a piece repeats what is not there"];
test.each([
  ["what ends too soon", "03 08 6162", "the bytes end too soon"],
  ["what repeats nothing", "03 09 05", piece],
  ["what repeats more than was before", "05 00 61 01 02", piece],
  ["what repeats what comes next", "05 00 61 01 00", piece],
  ["what is longer than said", "01 08 616263", size],
  ["what is shorter than said", "05 08 616263", size],
  ["what says that it grows by more than it can", "fffffff07f 08 616263", "no packed bytes grow so much"],
])("%s is refused", (_, packed, why) => {
  expect(() => unpackSnappy(hex(packed))).toThrow(new RangeError(why));
});
