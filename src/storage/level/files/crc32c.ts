// CRC-32C checksum of LevelDB's own files, masked as LevelDB stores it: rotated, plus a constant. The mask keeps the
// checksum of bytes that contain checksums effective.
import { lazy } from "../../../apimachinery/meta/memoize.ts";

const POLYNOMIAL = 0x82f63b78;
const MASK_DELTA = 0xa282ead8;
/** Bytes per step (slicing): more than three times as fast as one by one. */
const SLICE = 8;

/**
 * Lookup tables: the effect of a byte on the checksum, with 0, 1, … bytes of its slice behind it; 256 entries each.
 * They are created lazily, since not every start verifies files.
 */
const effectsOfBytes = lazy(() => {
  const effects = new Uint32Array(SLICE * 256);
  for (let byte = 0; byte < 256; byte++) {
    let crc = byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ POLYNOMIAL : crc >>> 1;
    effects[byte] = crc;
  }
  for (let at = 256; at < effects.length; at++) {
    const nearer = effects[at - 256] ?? 0;
    effects[at] = (nearer >>> 8) ^ effectOf(effects, nearer, 0);
  }
  return effects;
});

/** The effect of the lowest byte. */
const effectOf = (effects: Uint32Array, bytes: number, behind: number): number =>
  effects[(behind << 8) | (bytes & 0xff)] ?? 0;

/** Checksum of the bytes from `start` (inclusive) to `end` (exclusive). */
export function maskedCrc32c(bytes: Uint8Array, start: number, end: number): number {
  const effects = effectsOfBytes();
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let crc = -1;
  let at = start;
  for (; at + SLICE <= end; at += SLICE) {
    const first = crc ^ view.getInt32(at, true);
    const second = view.getInt32(at + 4, true);
    crc =
      effectOf(effects, first, 7) ^
      effectOf(effects, first >>> 8, 6) ^
      effectOf(effects, first >>> 16, 5) ^
      effectOf(effects, first >>> 24, 4) ^
      effectOf(effects, second, 3) ^
      effectOf(effects, second >>> 8, 2) ^
      effectOf(effects, second >>> 16, 1) ^
      effectOf(effects, second >>> 24, 0);
  }
  for (; at < end; at++) crc = (crc >>> 8) ^ effectOf(effects, crc ^ view.getUint8(at), 0);
  const found = ~crc >>> 0;
  return (((found >>> 15) | (found << 17)) + MASK_DELTA) >>> 0;
}
