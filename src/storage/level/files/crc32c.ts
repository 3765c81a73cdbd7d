// The checksum of LevelDB's own files (Castagnoli's polynomial), as they store it: turned and moved, so that a checksum
// of bytes that hold checksums is still a good one.
import { lazy } from "../../../meta/once-per.ts";

const POLYNOMIAL = 0x82f63b78;
const MASK_DELTA = 0xa282ead8;
/** How many bytes are taken in at a time: more than three times as fast as one by one. */
const SLICE = 8;

/**
 * What a byte does to the checksum when so many bytes of its slice come behind it: 256 numbers for none, then for one, … For
 * files that are looked at, which is not at every start.
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

/** Of the lowest byte. */
const effectOf = (effects: Uint32Array, bytes: number, behind: number): number =>
  effects[(behind << 8) | (bytes & 0xff)] ?? 0;

/** Of the bytes from `start` to before `end`. */
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
