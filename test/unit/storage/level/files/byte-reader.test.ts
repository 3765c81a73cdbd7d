import { expect, test } from "vitest";
import { ByteReader } from "../../../../../src/storage/level/files/byte-reader.ts";

const readerOf = (hex: string): ByteReader => new ByteReader(Buffer.from(hex.replaceAll(" ", ""), "hex"));

test("numbers come one after the other, whatever their lengths", () => {
  const reader = readerOf("00 7f 8001 ffffffff0f 0102 03 6162 63");
  expect([reader.varint(), reader.varint(), reader.varint(), reader.varint()]).toEqual([
    0, 127, 128, 4_294_967_295,
  ]);
  expect(reader.fixed(2)).toBe(0x0201);
  expect(reader.text()).toEqual(Buffer.from("abc"));
  expect(reader.done).toBe(true);
});

test("going over bytes says where they begin", () => {
  const reader = readerOf("01 02 03 04");
  reader.byte();
  expect(reader.skip(2)).toBe(1);
  expect(reader.byte()).toBe(4);
});

test.each<[string, string, (reader: ByteReader) => unknown]>([
  ["a byte", "", (reader) => reader.byte()],
  ["a number that does not end", "8080", (reader) => reader.varint()],
  ["bytes of a fixed number", "01", (reader) => reader.fixed(2)],
  ["a text", "03 6162", (reader) => reader.text()],
])("there is not enough of %s", (_what, hex, read) => {
  expect(() => read(readerOf(hex))).toThrow(new RangeError("the bytes end too soon"));
});

test("a number of more than 64 bits is refused where it exceeds them", () => {
  const read = (hex: string) => readerOf(hex).varint();
  expect(() => read(`${"80".repeat(200)}00`)).toThrow(new RangeError("a number has more than 64 bits"));
  expect(() => read("80".repeat(9))).toThrow(new RangeError("the bytes end too soon"));
});
