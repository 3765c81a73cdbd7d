import { expect, test } from "vitest";
import { maskedCrc32c } from "../../../../../src/storage/level/files/crc32c.ts";

/** The opposite of LevelDB's mask. */
function unmasked(masked: number): number {
  const turned = (masked - 0xa282ead8) >>> 0;
  return ((turned >>> 17) | (turned << 15)) >>> 0;
}

// The check values of RFC 3720, B.4.
test.each([
  ["zeros", Buffer.alloc(32), 0x8a9136aa],
  ["ones", Buffer.alloc(32, 0xff), 0x62a8ab43],
  ["rising bytes", Buffer.from(Array.from({ length: 32 }, (_, index) => index)), 0x46dd794e],
])("32 %s", (_, bytes, checksum) => {
  expect(unmasked(maskedCrc32c(bytes, 0, bytes.length))).toBe(checksum);
});

test("only the bytes between are counted", () => {
  const bytes = Buffer.from("ab123456789yz");
  expect(unmasked(maskedCrc32c(bytes, 2, 11))).toBe(0xe3069283);
});

test("a checksum goes on from part to part, however long they are and wherever they begin", () => {
  const bytes = Buffer.from(Array.from({ length: 80 }, (_, index) => (index * 151 + 7) % 256));
  for (let start = 0; start < 20; start++) {
    for (let end = start; end <= bytes.length; end++) {
      expect(unmasked(maskedCrc32c(bytes, start, end))).toBe(bitByBit(bytes.subarray(start, end)));
    }
  }
});

/** As RFC 3720 defines it. */
function bitByBit(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0x82f63b78 : crc >>> 1;
  }
  return ~crc >>> 0;
}
