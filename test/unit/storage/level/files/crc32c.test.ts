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
