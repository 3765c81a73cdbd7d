import { describe, expect, test } from "vitest";
import { MessageWriter } from "../../../../src/apiserver/openapi/message-writer.ts";
import { newReader } from "../../../../src/apiserver/protobuf/wire.ts";

const LENGTHS = [
  0, 1, 123, 124, 125, 126, 127, 128, 129, 16_379, 16_383, 16_384, 65_536, 2_097_151, 2_097_152,
];

describe("a message inside of another", () => {
  test.each(LENGTHS)("says how long it is: a text of %d letters, three levels down", (length) => {
    const text = "x".repeat(length);
    const out = new MessageWriter();
    const outer = out.begin(1);
    out.flag(5);
    const inner = out.begin(2);
    out.text(3, text);
    out.end(inner);
    out.text(4, "ü behind");
    out.end(outer);
    out.integer(6, 2n ** 64n - 1n);
    out.double(7, -1.5);

    const reader = newReader(out.finish());
    expect(reader.uint32() >>> 3).toBe(1);
    const outerEnd = reader.uint32() + reader.pos;
    expect([reader.uint32() >>> 3, reader.uint32()]).toEqual([5, 1]);
    expect(reader.uint32() >>> 3).toBe(2);
    const innerEnd = reader.uint32() + reader.pos;
    expect(reader.uint32() >>> 3).toBe(3);
    expect(reader.string() === text).toBe(true);
    expect(reader.pos).toBe(innerEnd);
    expect([reader.uint32() >>> 3, reader.string()]).toEqual([4, "ü behind"]);
    expect(reader.pos).toBe(outerEnd);
    expect([reader.uint32() >>> 3, String(reader.uint64())]).toEqual([6, "18446744073709551615"]);
    expect([reader.uint32() >>> 3, reader.double()]).toEqual([7, -1.5]);
    expect(reader.pos).toBe(reader.len);
  });
});
